package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A restore of an older state notifies all watches, even one that begins after it with a higher index from before. */
class WatchAfterRestoreTest {
    private static final long OLDER = 50;
    private static final long NEWER = 100;
    private static final List<StateScope> SCOPES = List.of(
            StateScope.node(NodeId.of("n1")),
            StateScope.node(NodeId.of("unknown")),
            StateScope.volume(VolumeKey.of("default", "v")),
            StateScope.volumesOf(PluginId.of("p")),
            StateScope.volumesOn(NodeId.of("n1")),
            StateScope.unsettledVolumes(),
            StateScope.of(StateScope.Table.NODES));

    private final StateStore store = StateStore.create(StateStoreOptions.builder()
            .watchExecutor(Runnable::run)
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());

    @AfterEach
    void close() {
        store.close();
    }

    private void nodesUpTo(long index) {
        for (long i = store.snapshot().index() + 1; i <= index; i++) {
            store.apply(new NodeCommand.UpsertNode(NodeId.of("n" + i), Cluster.AT));
        }
        assertThat(store.snapshot().index()).isEqualTo(index);
    }

    private byte[] encoded() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.encode(bytes);
        return bytes.toByteArray();
    }

    private void restore(byte[] bytes) throws IOException {
        assertThat(store.restore(new ByteArrayInputStream(bytes))).isEqualTo(OLDER);
        assertThat(store.snapshot().index()).isEqualTo(OLDER);
    }

    @Test
    void restoreOfOlderStateNotifiesWaitingWatchWithHigherIndex() throws Exception {
        nodesUpTo(OLDER);
        byte[] older = encoded();
        nodesUpTo(NEWER);
        List<CompletableFuture<Long>> waiting = new ArrayList<>();
        SCOPES.forEach(scope -> waiting.add(store.newerThan(scope, NEWER)));
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        List<Long> reported = new ArrayList<>();
        try (Subscription subscription = store.subscribe(StateScope.node(NodeId.of("n1")), NEWER, reported::add)) {
            assertThat(subscription).isNotNull();
            restore(older);
        }
        for (int i = 0; i < SCOPES.size(); i++) {
            assertThat(waiting.get(i)).as("%s", SCOPES.get(i)).isCompletedWithValue(OLDER);
        }
        assertThat(reported).containsExactly(OLDER);
        assertThat(store.watchCount()).isZero();
    }

    /** The caller reads the state before the restore and begins the watch after it. */
    @Test
    void newWatchWithIndexAboveRestoredIndexIsNotifiedAtOnce() throws Exception {
        nodesUpTo(OLDER);
        byte[] older = encoded();
        nodesUpTo(NEWER);
        restore(older);
        for (StateScope scope : SCOPES) {
            for (long index : new long[] {OLDER + 1, NEWER, NEWER + 1}) {
                assertThat(store.newerThan(scope, index))
                        .as("%s from %s", scope, index)
                        .isCompletedWithValue(OLDER);
            }
        }
        List<Long> reported = new ArrayList<>();
        List<Long> unsettled = new ArrayList<>();
        VolumeListener listener = new VolumeListener() {
            @Override
            public void changed(VolumeKey key, long index) {
                throw new AssertionError("unexpected report of volume " + key);
            }

            @Override
            public void anyChanged(long index) {
                unsettled.add(index);
            }
        };
        try (Subscription nodes = store.subscribe(StateScope.of(StateScope.Table.NODES), NEWER, reported::add);
                Subscription volumes = store.subscribeUnsettled(NEWER, listener)) {
            assertThat(List.of(nodes, volumes)).hasSize(2);
            assertThat(reported).containsExactly(OLDER);
            assertThat(unsettled).containsExactly(OLDER);
            nodesUpTo(OLDER + 1);
            assertThat(reported).as("indexes count from the restored state").containsExactly(OLDER, OLDER + 1);
        }
        assertThat(store.watchCount()).isZero();
    }

    @Test
    void watchWithIndexOfRestoredStateWaitsForNextChange() throws Exception {
        nodesUpTo(OLDER);
        byte[] older = encoded();
        nodesUpTo(NEWER);
        restore(older);
        CompletableFuture<Long> waiting = store.newerThan(StateScope.of(StateScope.Table.NODES), OLDER);
        assertThat(waiting).isNotDone();
        nodesUpTo(OLDER + 1);
        assertThat(waiting).isCompletedWithValue(OLDER + 1);
    }
}
