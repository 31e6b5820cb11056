package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.apply.RandomCommands;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Volume;
import io.csi4j.state.internal.tree.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A snapshot is one immutable version of the whole state, and reading it never waits. */
class SnapshotTest extends StoreFixture {
    private static final Duration SOON = Duration.ofSeconds(30);

    SnapshotTest() {
        super(StateStore.create(StateStoreOptions.builder()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build()));
    }

    @Test
    void snapshotIsNotChangedByLaterWrites() throws IOException {
        SplittableRandom random = Seeds.next("SnapshotTest");
        RandomCommands commands = new RandomCommands(random);
        NaiveState oracle = new NaiveState();
        for (int i = 0; i < 500; i++) {
            var command = commands.next(oracle);
            oracle.apply(command);
            store.apply(command);
        }
        StateReader held = store.snapshot();
        byte[] bytes = bytes(held);
        for (int i = 0; i < 3_000; i++) {
            store.apply(commands.next(store.snapshot()));
        }
        try (WriteTransaction transaction = store.begin(SOON)) {
            for (Volume volume : held.volumes(VolumeQuery.all()).items()) {
                transaction.removeVolume(volume.key());
            }
            held.nodes().forEach(node -> transaction.removeNode(node.id()));
            transaction.commit(transaction.index() + 1);
        }
        SameAnswers.check(held, oracle);
        assertThat(bytes(held)).isEqualTo(bytes);
        store.close();
        SameAnswers.check(held, oracle);
    }

    /** The version of a type changes with each change of its rows, also inside a transaction, and only then. */
    @Test
    void versionChangesWithTheRows() {
        RandomCommands commands = new RandomCommands(Seeds.next("SnapshotTest, versions"));
        int changes = 0;
        for (int i = 0; i < 3_000; i++) {
            StateReader before = store.snapshot();
            store.apply(commands.next(before));
            StateReader after = store.snapshot();
            boolean same = rows(before).equals(rows(after));
            assertThat(after.version(RowType.INSTANCES).equals(before.version(RowType.INSTANCES)))
                    .isEqualTo(same);
            changes += same ? 0 : 1;
        }
        assertThat(changes).isBetween(10, 2_900);
        try (WriteTransaction transaction = store.begin(SOON)) {
            Object first = transaction.version(RowType.NODES);
            for (String id : List.of("a", "b")) {
                Object before = transaction.version(RowType.NODES);
                transaction.putNode(new Node(NodeId.of(id), NodeStatus.READY, Instant.EPOCH, "", 1));
                assertThat(transaction.version(RowType.NODES)).isNotEqualTo(before);
            }
            assertThat(store.snapshot().version(RowType.NODES)).isEqualTo(first);
        }
    }

    private static List<PluginInstance> rows(StateReader state) {
        List<PluginInstance> rows = new ArrayList<>();
        state.rows(RowType.INSTANCES).forEach(rows::add);
        return rows;
    }

    /** While a writer has begun and is blocked, all queries and the encoding still complete. */
    @Test
    void readersNeverWaitForWriter() throws Exception {
        NaiveState oracle = new NaiveState();
        RandomCommands commands = new RandomCommands(Seeds.next("SnapshotTest, readers"));
        for (int i = 0; i < 500; i++) {
            var command = commands.next(oracle);
            oracle.apply(command);
            store.apply(command);
        }
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Boolean> writer = CompletableFuture.supplyAsync(
                () -> {
                    try (WriteTransaction transaction = store.begin(SOON)) {
                        RichState.write(transaction);
                        writing.countDown();
                        return goOn.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(
                () -> {
                    StateReader snapshot = store.snapshot();
                    SameAnswers.check(snapshot, oracle);
                    snapshot.volumes(VolumeQuery.all())
                            .items()
                            .forEach(volume -> assertThat(VolumeView.of(snapshot, volume.key()))
                                    .isPresent());
                    return snapshot.index();
                },
                threads);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isEqualTo(500);
        assertThat(bytes(store.snapshot())).isNotEmpty();
        assertThat(writer).isNotDone();
        goOn.countDown();
        assertThat(writer.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private byte[] bytes(StateReader snapshot) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.encode(snapshot, out);
        return out.toByteArray();
    }
}
