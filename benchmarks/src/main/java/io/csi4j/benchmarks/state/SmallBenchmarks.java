package io.csi4j.benchmarks.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.state.StateScope;
import io.csi4j.state.StateStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measurements that do not depend on the number of volumes. */
final class SmallBenchmarks {
    private static long sink;

    private SmallBenchmarks() {}

    static double snapshot(StateStore store) {
        double best = Double.MAX_VALUE;
        for (int r = 0; r < 10; r++) {
            best = Math.min(best, Cpu.each(() -> {
                int count = 50_000_000;
                for (int i = 0; i < count; i++) {
                    if (store.snapshot() == null) {
                        sink++;
                    }
                }
                return count;
            }));
        }
        return best;
    }

    /**
     * Measures the commands that add a claim to a volume that already has many claims. The claims of a round are freed
     * before the next round and are not measured.
     */
    static double takeOnCrowded(int rounds) {
        int each = 500;
        StateWorkload workload = new StateWorkload(10, 3);
        try (StateStore store = StateStore.inMemory()) {
            workload.cluster(1_000 + each).forEach(store::apply);
            workload.register(0, 10).forEach(store::apply);
            VolumeKey key = StateWorkload.key(0);
            for (int a = 0; a < 1_000; a++) {
                store.apply(StateWorkload.take(key, a));
            }
            double best = Double.MAX_VALUE;
            for (int r = 0; r < 10 * rounds; r++) {
                List<Command> takes = new ArrayList<>();
                for (int a = 1_000; a < 1_000 + each; a++) {
                    takes.add(StateWorkload.take(key, a));
                }
                best = Math.min(best, Cpu.each(() -> {
                    takes.forEach(store::apply);
                    return takes.size();
                }));
                for (int a = 1_000; a < 1_000 + each; a++) {
                    store.apply(StateWorkload.override(key, a));
                    store.apply(StateWorkload.free(key, a));
                }
            }
            return best;
        }
    }

    /**
     * Measures the time from a commit to the notification of a watch. This is elapsed time and not CPU time, so other
     * load on the machine increases the result.
     */
    static void wakeUp() throws InterruptedException {
        int count = 20_000;
        long[] nanos = new long[count];
        AtomicLong committed = new AtomicLong();
        try (StateStore store = StateStore.inMemory()) {
            for (int i = 0; i < count; i++) {
                NodeId node = NodeId.of("node-" + i);
                CountDownLatch reacted = new CountDownLatch(1);
                int index = i;
                var unused = store.newerThan(
                                StateScope.node(node), store.snapshot().index())
                        .thenRun(() -> {
                            nanos[index] = System.nanoTime() - committed.get();
                            reacted.countDown();
                        });
                committed.set(System.nanoTime());
                store.apply(new NodeCommand.UpsertNode(node, StateWorkload.AT));
                reacted.await(1, TimeUnit.MINUTES);
            }
        }
        Arrays.sort(nanos);
        Report.time("watch wake-up, p50", 0, (double) nanos[count / 2], 10_000);
        Report.time("watch wake-up, p99", 0, (double) nanos[count * 99 / 100], Double.POSITIVE_INFINITY);
    }
}
