package io.csi4j.benchmarks.engine;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.state.StateStore;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Measures in one thread what depends on the number of nodes: the search for feasible nodes, and the place of a volume. */
final class TemplateNodes {
    /** The volumes that are made in a round. */
    private static final int MADE = 200;

    private static final int WARM_UP = 10;

    private TemplateNodes() {}

    static void run(int nodes, int rounds) {
        feasible(nodes, rounds);
        made(nodes, EngineRig.ZONES, rounds);
        made(nodes, nodes, rounds);
    }

    private static StateStore store(int nodes, int zones) {
        StateStore store = StateStore.inMemory();
        EngineRig.zonedCluster(TemplateBenchmark.PLUGIN, nodes, zones).forEach(command -> apply(store, command));
        return store;
    }

    static void apply(StateStore store, Command command) {
        if (store.apply(command) instanceof Outcome.Rejected rejected) {
            throw new IllegalStateException(rejected.reason().message());
        }
    }

    private static void feasible(int nodes, int rounds) {
        double[] existing = new double[rounds];
        double[] made = new double[rounds];
        try (StateStore store = store(nodes, EngineRig.ZONES)) {
            EngineRig.volumes(TemplateBenchmark.PLUGIN, 1, command -> apply(store, command));
            for (int round = -WARM_UP; round < rounds; round++) {
                existing[Math.max(round, 0)] =
                        onAll(store, nodes, EngineRig.request(EngineRig.key(TemplateBenchmark.PLUGIN, 0)));
                made[Math.max(round, 0)] = onAll(store, nodes, EngineRig.madeRequest(VolumeKey.of("default", "new")));
            }
        }
        TemplateBenchmark.ratio(
                String.format(
                        Locale.ROOT,
                        "feasible nodes of %d for a volume to be made, against a volume that exists",
                        nodes),
                made,
                existing,
                "2");
    }

    private static double onAll(StateStore store, int nodes, List<ClaimRequest> requests) {
        long start = cpu();
        long feasible = FeasibleNodes.in(store.snapshot()).onAll(EngineRig.NAMESPACE, requests).stream()
                .filter(NodeAnswer::admitted)
                .count();
        long nanos = cpu() - start;
        if (feasible != nodes) {
            throw new IllegalStateException(feasible + " of " + nodes + " nodes are feasible");
        }
        return nanos;
    }

    /** Measures the transaction that makes a volume, with few and with many nodes. */
    private static void made(int nodes, int zones, int rounds) {
        double[] few = new double[rounds];
        double[] many = new double[rounds];
        try (StateStore small = store(EngineRig.NODES, Math.min(zones, EngineRig.NODES));
                StateStore large = store(nodes, zones)) {
            for (int round = -WARM_UP; round < rounds; round++) {
                few[Math.max(round, 0)] = made(small, "r" + (round + WARM_UP) + "-");
                many[Math.max(round, 0)] = made(large, "r" + (round + WARM_UP) + "-");
            }
        }
        TemplateBenchmark.ratio(
                String.format(
                        Locale.ROOT,
                        "transaction that makes a volume, %d nodes in %d zones against %d nodes",
                        nodes,
                        zones,
                        EngineRig.NODES),
                many,
                few,
                "");
    }

    private static double made(StateStore store, String name) {
        for (int i = 0; i < MADE; i++) {
            apply(
                    store,
                    new AllocationCommand.UpsertAllocation(
                            AllocationId.of(name + i),
                            EngineRig.NAMESPACE,
                            EngineRig.node(i % EngineRig.NODES),
                            Optional.empty(),
                            AllocationStatus.RUNNING,
                            EngineRig.AT));
        }
        long start = cpu();
        for (int i = 0; i < MADE; i++) {
            apply(
                    store,
                    new ClaimCommand.TakeClaims(
                            AllocationId.of(name + i),
                            EngineRig.madeRequest(VolumeKey.of("default", name + i)),
                            EngineRig.AT));
        }
        return (cpu() - start) / (double) MADE;
    }

    static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
