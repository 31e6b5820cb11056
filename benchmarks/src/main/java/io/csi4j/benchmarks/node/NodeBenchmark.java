package io.csi4j.benchmarks.node;

import io.csi4j.client.CsiClient;
import io.csi4j.node.NodeVolumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The node side beside the bare calls and writes; prints figures, ratios and budgets. */
public final class NodeBenchmark {
    private static final int MANY = 1_000;
    private static final int AT_A_TIME = 16;
    private static final int MILLIS = 40;

    private NodeBenchmark() {}

    /**
     * Runs all, or what is named: {@code one}, {@code many}, {@code recovery}, {@code idle}.
     *
     * @param arguments what to run
     * @throws Exception if something cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        List<String> wanted = arguments.length == 0 ? List.of("one", "many", "recovery", "idle") : List.of(arguments);
        Path directory = Files.createTempDirectory("csi4j-node");
        try {
            if (wanted.contains("one")) {
                one(Files.createDirectory(directory.resolve("one")));
            }
            if (wanted.contains("many")) {
                many(Files.createDirectory(directory.resolve("many")));
            }
            if (wanted.contains("recovery")) {
                Recovery.measure(Files.createDirectory(directory.resolve("recovery")), MANY);
            }
            if (wanted.contains("idle")) {
                Idle.measure(Files.createDirectory(directory.resolve("idle")), 50);
            }
        } finally {
            delete(directory);
        }
        System.exit(0);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void one(Path directory) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, 1, 0, 1);
                CsiClient client = CsiClient.connect("unix://" + plugin.socket(0));
                BenchmarkMounts mounts = new BenchmarkMounts(directory, client)) {
            System.out.println("one volume up and down beside another of its namespace, median of rounds in turn, ms");
            oneRow(mounts, directory, false, new Rounds(2_500, 500));
            oneRow(mounts, directory, true, new Rounds(1_000, 500));
            System.out.println();
        }
    }

    /** A host mounts for weeks; what its program costs before it is compiled is left out. */
    private record Rounds(int warming, int counted) {}

    private static void oneRow(BenchmarkMounts mounts, Path directory, boolean synced, Rounds rounds)
            throws IOException {
        Path own = directory.resolve("volumes-" + synced);
        NodeVolumes volumes = mounts.open(own, synced);
        mounts.up(volumes, rounds.counted());
        long[] calls = new long[rounds.counted()];
        long[] replaced = new long[rounds.counted()];
        long[] byHand = new long[rounds.counted()];
        long[] library = new long[rounds.counted()];
        for (int round = -rounds.warming(); round < rounds.counted(); round++) {
            int at = Math.max(round, 0);
            calls[at] = mounts.byHand(at, false, false, synced);
            replaced[at] = mounts.byHand(at, true, false, synced);
            byHand[at] = mounts.byHand(at, true, true, synced);
            library[at] = mounts.library(volumes, own, at);
        }
        volumes.stop().join();
        System.out.printf(
                "  fsync %-3s  library %.2f   4 calls %.2f, with 6 writes of a whole file %.2f: ratio %.2f%s, and with"
                        + " directories %.2f: ratio %.2f%n",
                synced ? "on" : "off",
                median(library) / 1e6,
                median(calls) / 1e6,
                median(replaced) / 1e6,
                median(library) / median(replaced),
                synced ? " (at most 1.15)" : "",
                median(byHand) / 1e6,
                median(library) / median(byHand));
    }

    private static double median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void many(Path directory) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, 1, MILLIS, AT_A_TIME);
                CsiClient client = CsiClient.connect("unix://" + plugin.socket(0));
                BenchmarkMounts mounts = new BenchmarkMounts(directory, client)) {
            double ideal = 2.0 * MANY * MILLIS / AT_A_TIME / 1e3;
            for (boolean synced : new boolean[] {false, true}) {
                NodeVolumes warm = mounts.open(directory.resolve("warm-" + synced), synced);
                BenchmarkMounts.all(warm, 50);
                warm.stop().join();
                NodeVolumes volumes = mounts.open(directory.resolve("volumes-" + synced), synced);
                double took = BenchmarkMounts.all(volumes, MANY) / 1e9;
                volumes.stop().join();
                System.out.printf(
                        "%d volumes up, %d ms a call, %d at a time, fsync %-3s  ideal %.2f s   took %.2f s   ratio %.2f"
                                + " (at most 1.3)%n",
                        MANY, MILLIS, AT_A_TIME, synced ? "on" : "off", ideal, took, took / ideal);
            }
            System.out.println();
        }
    }
}
