package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One test for each isolation anomaly, named after it. {@link ConcurrentCommandsTest} tests the effects on claims and plugins. */
class StoreIsolationTest extends StoreFixture {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final VolumeKey V = Cluster.key("v");

    @Test
    void uncommittedWriteIsInvisible() {
        cluster.node("n", "p");
        StateReader before = store.snapshot();
        try (WriteTransaction transaction = store.begin(SOON)) {
            transaction.removeNode(NodeId.of("n"));
            assertThat(transaction.node(NodeId.of("n"))).isEmpty();
            assertThat(store.snapshot()).isSameAs(before);
            assertThat(store.snapshot().node(NodeId.of("n"))).isPresent();
        }
        assertThat(store.snapshot()).isSameAs(before);
    }

    @Test
    void snapshotReadIsRepeatable() {
        cluster.node("n", "p").volume("v", "p").allocation("a", "n");
        StateReader snapshot = store.snapshot();
        Volume first = snapshot.volume(V).orElseThrow();
        cluster.claim("v", "a");
        assertThat(snapshot.volume(V).orElseThrow()).isSameAs(first);
        assertThat(first.claims().isEmpty()).isTrue();
        assertThat(store.snapshot().volume(V).orElseThrow().claims().size()).isOne();
    }

    @Test
    void listingOfSnapshotHasNoPhantomRows() {
        cluster.volume("v1", "p").volume("v3", "p");
        StateReader snapshot = store.snapshot();
        List<Volume> first = snapshot.volumes(VolumeQuery.all()).items();
        cluster.volume("v2", "p");
        cluster.accepted(new VolumeCommand.DeregisterVolume(Cluster.key("v3"), false, Cluster.AT));
        assertThat(snapshot.volumes(VolumeQuery.all()).items()).isEqualTo(first);
        assertThat(snapshot.volumesOf(PluginId.of("p"))).containsExactly(Cluster.key("v1"), Cluster.key("v3"));
        assertThat(store.snapshot().volumesOf(PluginId.of("p"))).containsExactly(Cluster.key("v1"), Cluster.key("v2"));
    }

    /** Nodes that the transaction wrote before the iteration have to be copied before they are changed again. */
    @Test
    void iterationDuringWritesHasNoPhantomRows() {
        PluginId plugin = PluginId.of("p");
        cluster.node("n", "p");
        for (boolean writtenBefore : new boolean[] {false, true}) {
            for (int i = 0; i < 500; i++) {
                String allocation = "a" + (1000 + i);
                cluster.volume("v" + (1000 + i), "p")
                        .allocation(allocation, "n")
                        .claim("v" + (1000 + i), allocation);
            }
            try (WriteTransaction transaction = store.begin(SOON)) {
                List<Volume> rows = transaction.volumes(VolumeQuery.all()).items();
                if (writtenBefore) {
                    rows.forEach(row -> transaction.removeVolume(row.key()));
                    rows.forEach(transaction::putVolume);
                }
                Iterator<VolumeKey> unchanged = transaction.volumesOf(plugin).iterator();
                int walked = 0;
                // An iteration returns the rows that existed when it began, even if its own transaction writes more.
                for (VolumeKey key : transaction.volumesOn(NodeId.of("n"), plugin)) {
                    transaction.removeVolume(key);
                    assertThat(unchanged.next()).isEqualTo(key);
                    walked++;
                }
                assertThat(walked).isEqualTo(500);
                assertThat(unchanged.hasNext()).isFalse();
                assertThat(transaction.volumesOf(plugin)).isEmpty();
                transaction.commit(store.snapshot().index() + 1);
            }
            assertThat(store.snapshot().volumes(VolumeQuery.all()).items()).isEmpty();
        }
    }

    @Test
    void concurrentUpdateIsNotLost() throws Exception {
        cluster.node("n", "p").volume("v", "p");
        int each = 150;
        for (int i = 0; i < 4 * each; i++) {
            cluster.allocation("a" + i, "n");
        }
        List<Callable<Integer>> writers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            int first = w * each;
            writers.add(() -> {
                for (int i = first; i < first + each; i++) {
                    assertThat(store.apply(Cluster.take("v", "a" + i, Cluster.SHARED))
                                    .accepted())
                            .isTrue();
                }
                return each;
            });
        }
        all(writers);
        Volume volume = store.snapshot().volume(V).orElseThrow();
        assertThat(volume.claims().size()).isEqualTo(4 * each);
        assertThat(store.snapshot().index()).isEqualTo(volume.modifyIndex());
    }

    /** A write that depends on an earlier read names the version that was read, and is rejected if there is a newer version. */
    @Test
    void updateBasedOnOldReadIsRejected() throws Exception {
        cluster.volume("v", "p");
        int each = 40;
        List<Callable<Integer>> writers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            writers.add(() -> {
                int refused = 0;
                for (int done = 0; done < each; ) {
                    Volume found = store.snapshot().volume(V).orElseThrow();
                    VolumeSpec next = Cluster.spec("p")
                            .mutableParameters(Map.of("count", String.valueOf(count(found) + 1)))
                            .build();
                    boolean written = store.apply(
                                    new VolumeCommand.UpdateVolume(V, next, found.modifyIndex(), Cluster.AT))
                            .accepted();
                    done += written ? 1 : 0;
                    refused += written ? 0 : 1;
                }
                return refused;
            });
        }
        all(writers);
        assertThat(count(store.snapshot().volume(V).orElseThrow())).isEqualTo(4 * each);
    }

    private static int count(Volume volume) {
        return Integer.parseInt(volume.spec().mutableParameters().getOrDefault("count", "0"));
    }

    /**
     * Each of two writers reads a row that the other one is about to change, and writes another row. Both decisions would be right alone
     * and wrong together. The cases are a node with capacity for one volume, and two volumes with the same external id.
     */
    @Test
    void writeSkewIsImpossible() throws Exception {
        for (int round = 0; round < 150; round++) {
            String node = "n" + round;
            cluster.accepted(new NodeCommand.UpsertNode(NodeId.of(node), Cluster.AT));
            cluster.accepted(new PluginCommand.FingerprintNode(
                    NodeId.of(node),
                    List.of(Cluster.instance(node, "p", "agent-" + node).toBuilder()
                            .nodeInfo(new NodeInfo(ExternalNodeId.of(node), 1, Optional.empty()))
                            .build()),
                    Cluster.AT));
            String v = "v" + round;
            String w = "w" + round;
            cluster.volume(v, "p").volume(w, "p").allocation("of-" + v, node).allocation("of-" + w, node);
            assertThat(acceptedAtOnce(
                            Cluster.take(v, "of-" + v, Cluster.SHARED), Cluster.take(w, "of-" + w, Cluster.SHARED)))
                    .as("the node has capacity for one volume")
                    .isOne();
            assertThat(store.snapshot().volumesOn(NodeId.of(node))).hasSize(1);
            assertThat(acceptedAtOnce(named("x" + round, round), named("y" + round, round)))
                    .as("an external volume is registered once")
                    .isOne();
        }
    }

    private static Command named(String id, int round) {
        return new VolumeCommand.RegisterVolume(
                Cluster.key(id),
                Cluster.spec("p")
                        .externalVolumeId(ExternalVolumeId.of("e" + round))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                Cluster.AT);
    }

    private int acceptedAtOnce(Command... commands) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Outcome>> outcomes = new ArrayList<>();
        for (Command command : commands) {
            outcomes.add(threads.submit(() -> {
                start.await();
                return store.apply(command);
            }));
        }
        start.countDown();
        int accepted = 0;
        for (Future<Outcome> outcome : outcomes) {
            accepted += outcome.get(30, TimeUnit.SECONDS).accepted() ? 1 : 0;
        }
        return accepted;
    }

    @Test
    void readSkewIsImpossible() throws Exception {
        cluster.node("n", "p").volume("v", "p").volume("w", "p");
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger found = new AtomicInteger();
        Future<Integer> reader = threads.submit(() -> {
            int torn = 0;
            while (!stop.get()) {
                StateReader snapshot = store.snapshot();
                int left = snapshot.volume(V).orElseThrow().claims().size();
                int right =
                        snapshot.volume(Cluster.key("w")).orElseThrow().claims().size();
                long running = 0;
                for (VolumeKey key : snapshot.volumesOn(NodeId.of("n"))) {
                    running += key.volumeId().value().length();
                }
                torn += left != right || running != left + right ? 1 : 0;
                found.incrementAndGet();
            }
            return torn;
        });
        int rounds = 0;
        while (rounds < 300 || found.get() < 300) {
            String allocation = "a" + rounds++;
            cluster.allocation(allocation, "n");
            try (WriteTransaction transaction = store.begin(SOON)) {
                for (String id : List.of("v", "w")) {
                    Volume volume = transaction.volume(Cluster.key(id)).orElseThrow();
                    transaction.putVolume(
                            volume.claims().isEmpty()
                                    ? volume.toBuilder()
                                            .claims(volume.claims().with(taken(allocation)))
                                            .build()
                                    : volume.toBuilder().claims(Claims.empty()).build());
                }
                transaction.commit(transaction.index() + 1);
            }
        }
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
    }

    private <T> void all(List<Callable<T>> tasks) throws Exception {
        for (Future<T> future : threads.invokeAll(tasks, 120, TimeUnit.SECONDS)) {
            future.get();
        }
    }

    private static Claim taken(String allocation) {
        return Claim.builder(AllocationId.of(allocation), NodeId.of("n"), ClaimMode.WRITE, Cluster.SHARED)
                .build();
    }
}
