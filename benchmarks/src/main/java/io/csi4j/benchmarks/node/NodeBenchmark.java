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

/**
 * Compares mounts by the library with direct calls to the plugin and direct writes to the disk. Prints the times, their
 * ratios, and the highest permitted ratios.
 */
public final class NodeBenchmark {
    private static final int VOLUMES = 1_000;
    private static final int MAX_CONCURRENT = 16;
    private static final int CALL_MILLIS = 40;

    private NodeBenchmark() {}

    /**
     * Runs all measurements, or the named ones: {@code one}, {@code many}, {@code recovery}, {@code idle}.
     *
     * @param arguments the measurements to run
     * @throws Exception if a process cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        List<String> selected = arguments.length == 0 ? List.of("one", "many", "recovery", "idle") : List.of(arguments);
        Path directory = Files.createTempDirectory("csi4j-node");
        try {
            if (selected.contains("one")) {
                measureOne(Files.createDirectory(directory.resolve("one")));
            }
            if (selected.contains("many")) {
                measureMany(Files.createDirectory(directory.resolve("many")));
            }
            if (selected.contains("recovery")) {
                Recovery.measure(Files.createDirectory(directory.resolve("recovery")), VOLUMES);
            }
            if (selected.contains("idle")) {
                IdlePlugins.measure(Files.createDirectory(directory.resolve("idle")), 50);
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

    private static void measureOne(Path directory) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, 1, 0, 1);
                CsiClient client = CsiClient.connect("unix://" + plugin.socket(0));
                BenchmarkMounts mounts = new BenchmarkMounts(directory, client)) {
            System.out.println(
                    "mount and unmount of one volume while another of its namespace is mounted, median of interleaved rounds, ms");
            measureRow(mounts, directory, false, new Rounds(2_500, 500));
            measureRow(mounts, directory, true, new Rounds(1_000, 500));
            System.out.println();
        }
    }

    /**
     * The numbers of rounds. Warm-up rounds are not measured, because in a long-running host the code is already
     * compiled.
     */
    private record Rounds(int warmUp, int measured) {}

    private static void measureRow(BenchmarkMounts mounts, Path directory, boolean synced, Rounds rounds)
            throws IOException {
        Path ownDirectory = directory.resolve("volumes-" + synced);
        NodeVolumes volumes = mounts.open(ownDirectory, synced);
        mounts.mountAndKeep(volumes, rounds.measured());
        long[] calls = new long[rounds.measured()];
        long[] withWrites = new long[rounds.measured()];
        long[] withDirectories = new long[rounds.measured()];
        long[] libraryTimes = new long[rounds.measured()];
        for (int round = -rounds.warmUp(); round < rounds.measured(); round++) {
            int index = Math.max(round, 0);
            calls[index] = mounts.callDirectly(index, false, false, synced);
            withWrites[index] = mounts.callDirectly(index, true, false, synced);
            withDirectories[index] = mounts.callDirectly(index, true, true, synced);
            libraryTimes[index] = mounts.mountAndUnmount(volumes, ownDirectory, index);
        }
        volumes.stop().join();
        System.out.printf(
                "  fsync %-3s  library %.2f   4 calls %.2f, with 6 writes of a whole file %.2f: ratio %.2f%s, and with"
                        + " directories %.2f: ratio %.2f%n",
                synced ? "on" : "off",
                median(libraryTimes) / 1e6,
                median(calls) / 1e6,
                median(withWrites) / 1e6,
                median(libraryTimes) / median(withWrites),
                synced ? " (at most 1.15)" : "",
                median(withDirectories) / 1e6,
                median(libraryTimes) / median(withDirectories));
    }

    private static double median(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void measureMany(Path directory) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, 1, CALL_MILLIS, MAX_CONCURRENT);
                CsiClient client = CsiClient.connect("unix://" + plugin.socket(0));
                BenchmarkMounts mounts = new BenchmarkMounts(directory, client)) {
            double ideal = 2.0 * VOLUMES * CALL_MILLIS / MAX_CONCURRENT / 1e3;
            for (boolean synced : new boolean[] {false, true}) {
                NodeVolumes warm = mounts.open(directory.resolve("warm-" + synced), synced);
                BenchmarkMounts.mountAll(warm, 50);
                warm.stop().join();
                NodeVolumes volumes = mounts.open(directory.resolve("volumes-" + synced), synced);
                double seconds = BenchmarkMounts.mountAll(volumes, VOLUMES) / 1e9;
                volumes.stop().join();
                System.out.printf(
                        "%d volumes mounted, %d ms a call, %d at a time, fsync %-3s  ideal %.2f s   took %.2f s   ratio %.2f"
                                + " (at most 1.3)%n",
                        VOLUMES, CALL_MILLIS, MAX_CONCURRENT, synced ? "on" : "off", ideal, seconds, seconds / ideal);
            }
            System.out.println();
        }
    }
}
