package io.csi4j.benchmarks.state;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.state.StateScope;
import io.csi4j.state.StateStore;
import java.util.concurrent.CompletableFuture;

/**
 * Measures whether a commit becomes slower when other keys are watched: makes the same commits without watches, and
 * with 100,000 watches of other keys in the same table.
 */
final class IdleWatches {
    private static final int WATCHES = 100_000;
    private static final int COMMITS = 20_000;

    private IdleWatches() {}

    static void run(int rounds) {
        double[] without = new double[rounds];
        double[] with = new double[rounds];
        try (StateStore unwatched = StateStore.inMemory();
                StateStore watched = StateStore.inMemory()) {
            CompletableFuture<?>[] idle = new CompletableFuture<?>[WATCHES];
            for (int i = 0; i < WATCHES; i++) {
                idle[i] = watched.newerThan(StateScope.node(NodeId.of("idle-" + i)), 0);
            }
            for (int r = 0; r < rounds; r++) {
                without[r] = commits(unwatched, r);
                with[r] = commits(watched, r);
            }
            for (CompletableFuture<?> watch : idle) {
                if (watch.isDone()) {
                    throw new IllegalStateException("a watch of another key fired");
                }
            }
        }
        Report.note(
                "commit with 100,000 idle watches",
                0,
                Report.time(Cpu.best(with)) + ", without " + Report.time(Cpu.best(without)));
    }

    private static double commits(StateStore store, int round) {
        return Cpu.each(() -> {
            for (int i = 0; i < COMMITS; i++) {
                store.apply(new NodeCommand.UpsertNode(NodeId.of("busy-" + round + "-" + i), StateWorkload.AT));
            }
            return COMMITS;
        });
    }
}
