package io.csi4j.benchmarks.scale;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures one server with clusters of different sizes, on virtual time. In the first phase all volumes are claimed; in
 * the second a rack is lost node by node and its allocations move; in the third all allocations end. Prints a table in
 * Markdown.
 */
public final class ScaleBenchmark {
    private static final int RACK = 40;
    private static final Duration NODE_LOSS_INTERVAL = Duration.ofMillis(100);

    private ScaleBenchmark() {}

    /** The cost of one phase: times, calls in flight, commands and claims. */
    private record Cost(Duration virtual, Duration wall, Duration cpu, int maxInFlight, long commands, int claims) {
        String row(int nodes, int volumes, String phase, String memory) {
            return String.format(
                    Locale.ROOT,
                    "| %,d | %,d | %s | %,d | %.1f s | %.1f s | %,d | %.1f | %.0f µs | %s |",
                    nodes,
                    volumes,
                    phase,
                    claims,
                    virtual.toMillis() / 1000.0,
                    wall.toMillis() / 1000.0,
                    maxInFlight,
                    (double) commands / claims,
                    cpu.toNanos() / 1000.0 / claims,
                    memory);
        }
    }

    /**
     * Runs the benchmark.
     *
     * @param args {@code --nodes 100,1000,10000}
     */
    public static void main(String[] args) {
        List<Integer> sizes = new ArrayList<>(List.of(100, 1_000, 10_000));
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].equals("--nodes") || i + 1 == args.length) {
                throw new IllegalArgumentException("usage: benchmarks/run scale [--nodes 100,1000,10000]");
            }
            sizes.clear();
            for (String size : args[i + 1].split(",", -1)) {
                sizes.add(Integer.parseInt(size));
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%d plugins, %d volumes on each node, calls of 500 ms, a rack of %d nodes, one of them lost every 100 ms%n%n",
                LargeCluster.PLUGINS,
                LargeCluster.VOLUMES_PER_NODE,
                RACK);
        // Warms up with a small cluster that is not measured, so that all measured clusters run compiled code.
        run(100, false);
        System.out.println("| nodes | volumes | phase | claims | virtual time | wall time | most calls in flight "
                + "| commands for each claim | CPU for each claim | memory |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        sizes.forEach(size -> run(size, true));
    }

    private static void run(int nodes, boolean print) {
        long empty = usedBytes();
        try (LargeCluster cluster = new LargeCluster(nodes)) {
            String idle = megabytes(usedBytes() - empty);
            Cost claims = measure(cluster, cluster.volumes(), cluster::claimAll);
            String full = megabytes(usedBytes() - empty);
            Cost rack = measure(
                    cluster, RACK * LargeCluster.VOLUMES_PER_NODE, () -> cluster.loseRack(RACK, NODE_LOSS_INTERVAL));
            Cost end = measure(cluster, cluster.volumes(), () -> cluster.endAll(RACK));
            if (print) {
                System.out.println(
                        claims.row(nodes, cluster.volumes(), "all claims", idle + " before, " + full + " after"));
                System.out.println(rack.row(nodes, cluster.volumes(), "rack lost and moved", ""));
                System.out.println(end.row(nodes, cluster.volumes(), "all released", ""));
            }
        }
    }

    private static Cost measure(LargeCluster cluster, int claims, Runnable phase) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int unused = cluster.plugins().takeMaxInFlight();
        Duration virtual = cluster.time().elapsed();
        long commands = cluster.commands();
        long wall = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        phase.run();
        return new Cost(
                cluster.time().elapsed().minus(virtual),
                Duration.ofNanos(System.nanoTime() - wall),
                Duration.ofNanos(threads.getCurrentThreadCpuTime() - cpu),
                cluster.plugins().takeMaxInFlight(),
                cluster.commands() - commands,
                claims);
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%,d MB", bytes >> 20);
    }
}
