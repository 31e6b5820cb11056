package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.StateScope;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The work of a commit for watchers, counted instead of measured as time. */
class WatchRegistryTest {
    private final WatchRegistry registry = new WatchRegistry(0);
    private int queries;
    private long index;

    private final class Probe implements Watcher {
        private final List<StateScope> scopes;
        private final boolean once;
        private int reported;

        Probe(List<StateScope> scopes, boolean once) {
            this.scopes = scopes;
            this.once = once;
        }

        @Override
        public List<StateScope> scopes() {
            queries++;
            return scopes;
        }

        @Override
        public void changed(long at) {
            queries++;
            reported++;
        }

        @Override
        public void closed(RuntimeException reason) {
            queries++;
        }

        @Override
        public boolean once() {
            queries++;
            return once;
        }
    }

    private Probe watch(StateScope scope, boolean once) {
        Probe probe = new Probe(List.of(scope), once);
        registry.add(probe, index);
        return probe;
    }

    private void commit(Object... keysOfNodes) {
        index++;
        Touched touched = new Touched();
        for (Object key : keysOfNodes) {
            touched.add(StateScope.Table.NODES, key);
        }
        registry.publishing(index);
        registry.committed(index, touched);
    }

    /** A watcher that was added between the visible root and its notification has read the root already, so it is not notified. */
    @Test
    void watcherThatHasReadCurrentRootIsNotNotified() {
        WatchRegistry between = new WatchRegistry(6);
        Touched touched = new Touched();
        touched.add(StateScope.Table.NODES, NodeId.of("n"));
        List<Long> reported = new ArrayList<>();
        Notifier atOnce = Notifier.of(Runnable::run);
        between.publishing(7);
        var future = WatchFuture.in(between, List.of(StateScope.node(NodeId.of("n"))), 7, atOnce);
        WatchSubscription subscription =
                new WatchSubscription(between, StateScope.of(StateScope.Table.NODES), 7, reported::add, atOnce);
        between.add(subscription, 7);
        between.committed(7, touched);
        assertThat(future).isNotDone();
        assertThat(reported).isEmpty();
        between.publishing(8);
        between.committed(8, touched);
        assertThat(future).isCompletedWithValue(8L);
        assertThat(reported).containsExactly(8L);
        // A replaced state is always notified, and its index is the newest one from then on.
        between.publishing(3);
        between.replaced(3);
        between.publishing(4);
        between.committed(4, touched);
        assertThat(reported).containsExactly(8L, 3L, 4L);
    }

    @Test
    void commitThatChangesSeveralScopesOfAWatcherNotifiesItOnce() {
        for (boolean once : List.of(true, false)) {
            Probe probe =
                    new Probe(List.of(StateScope.node(NodeId.of("a")), StateScope.of(StateScope.Table.NODES)), once);
            registry.add(probe, index);
            commit(NodeId.of("a"), NodeId.of("b"));
            assertThat(probe.reported).isEqualTo(1);
            commit(NodeId.of("a"));
            assertThat(probe.reported).isEqualTo(once ? 1 : 2);
            assertThat(registry.size()).isEqualTo(once ? 0 : 1);
            registry.remove(probe);
            assertThat(registry.size()).isZero();
        }
    }

    /** Adds 100,000 watchers of all kinds: keys of the changed table, keys of other tables, prefixes, and whole other tables. */
    @Test
    void commitVisitsOnlyWatchersOfChangedKeys() {
        for (int i = 0; i < 50_000; i++) {
            boolean once = i % 2 == 0;
            watch(StateScope.node(NodeId.of("idle-" + i)), once);
            watch(
                    switch (i % 5) {
                        case 0 -> StateScope.volume(Cluster.key("v" + i));
                        case 1 -> StateScope.plugin(PluginId.of("p" + i));
                        case 2 -> StateScope.volumes(Namespace.of("space-" + i), "");
                        case 3 -> new StateScope(StateScope.Table.NODES, "rack-" + i, true);
                        default -> StateScope.of(StateScope.Table.ALLOCATIONS);
                    },
                    once);
        }
        assertThat(registry.size()).isEqualTo(100_000);
        Probe busy = watch(StateScope.node(NodeId.of("busy")), false);
        queries = 0;
        for (int i = 0; i < 1_000; i++) {
            commit(NodeId.of("other-" + i), NodeId.of("idl"), NodeId.of("idle-1x"));
        }
        assertThat(queries).isZero();
        // Checks that the counting works: only the watcher of the changed key is visited.
        commit(NodeId.of("busy"));
        assertThat(busy.reported).isOne();
        assertThat(queries).isBetween(1, 5);
        assertThat(registry.size()).isEqualTo(100_001);
    }

    @Test
    void watcherIsNotifiedOncePerCommit() {
        Probe all = watch(StateScope.of(StateScope.Table.NODES), false);
        Probe prefix = watch(new StateScope(StateScope.Table.NODES, "n", true), false);
        Probe first = watch(StateScope.of(StateScope.Table.NODES), true);
        commit(NodeId.of("n1"), NodeId.of("n2"), NodeId.of("n1"));
        commit(NodeId.of("m"));
        assertThat(List.of(all.reported, prefix.reported, first.reported)).containsExactly(2, 1, 1);
        assertThat(registry.size()).isEqualTo(2);
    }

    @Test
    void prefixWatchesOfAnyLengthCanBeAddedAndRemoved() {
        List<Probe> probes = new ArrayList<>();
        for (int length = 0; length <= 20; length++) {
            probes.add(watch(new StateScope(StateScope.Table.NODES, "x".repeat(length), true), false));
        }
        commit(NodeId.of("x".repeat(10)));
        assertThat(probes.stream().mapToInt(probe -> probe.reported).sum()).isEqualTo(11);
        for (int i = 0; i < probes.size(); i += 2) {
            registry.remove(probes.get(i));
        }
        commit(NodeId.of("x".repeat(20)));
        assertThat(probes.stream().mapToInt(probe -> probe.reported).sum()).isEqualTo(21);
        probes.forEach(registry::remove);
        assertThat(registry.size()).isZero();
    }
}
