package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The order in which a commit makes its changes visible, notifies watchers and frees the lock. Listeners run on the writer's thread, so
 * that the order can be observed.
 */
class CommitOrderTest {
    private final StateStore store = StateStore.inMemory(
            StateStoreOptions.builder().watchExecutor(Runnable::run).build());

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void commitIsVisibleBeforeNotificationAndLockIsReleasedAfterNotification() {
        NodeId node = NodeId.of("n");
        List<String> observed = new ArrayList<>();
        store.subscribe(StateScope.node(node), 0, index -> {
            observed.add(
                    store.snapshot().node(node).isPresent() && store.snapshot().index() >= index
                            ? "published"
                            : "not published");
            // This thread still has the lock, because the next writer may begin only after all notifications.
            assertThatThrownBy(() -> store.begin(Duration.ofSeconds(30)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has a write transaction open");
            observed.add("locked");
        });
        store.apply(new NodeCommand.UpsertNode(node, Cluster.AT));
        assertThat(observed).containsExactly("published", "locked");
        try (WriteTransaction next = store.begin(Duration.ofSeconds(30))) {
            assertThat(next.index()).isOne();
        }
    }

    @Test
    void abortedTransactionNotifiesNoListener() {
        CompletableFuture<Long> watch = store.newerThan(StateScope.of(StateScope.Table.NODES), 0);
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
            RichState.write(transaction);
            assertThat(watch).isNotDone();
        }
        assertThat(watch).isNotDone();
        store.apply(new NodeCommand.UpsertNode(NodeId.of("n"), Cluster.AT));
        assertThat(watch).isCompletedWithValue(1L);
    }

    @Test
    void commandWithoutChangeAdvancesIndexAndNotifiesNoWatch() {
        new Cluster(store).node("n", "p").volume("v", "p").allocation("a", "n").claim("v", "a");
        long index = store.snapshot().index();
        List<CompletableFuture<Long>> watches = new ArrayList<>();
        for (StateScope.Table table : StateScope.Table.values()) {
            watches.add(store.newerThan(StateScope.of(table), index));
        }
        Outcome refused = store.apply(Cluster.take("v", "nobody", Cluster.SHARED));
        Outcome idle = store.apply(new ClaimCommand.FreeClaim(Cluster.key("v"), AllocationId.of("nobody"), Cluster.AT));
        assertThat(refused.accepted()).isFalse();
        assertThat(idle.accepted()).isTrue();
        assertThat(store.snapshot().index()).isEqualTo(index + 2);
        for (StateScope.Table table : StateScope.Table.values()) {
            watches.add(store.newerThan(StateScope.of(table), index));
        }
        assertThat(watches).noneMatch(CompletableFuture::isDone);
        assertThat(store.snapshot().plugin(PluginId.of("p")).healthyNodes()).isOne();
    }
}
