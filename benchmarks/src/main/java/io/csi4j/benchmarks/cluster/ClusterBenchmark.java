package io.csi4j.benchmarks.cluster;

import io.csi4j.core.state.VolumeQuery;
import io.csi4j.replication.ratis.RatisCommandLog;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Measures the command log of csi4j and a replicated counter on Apache Ratis, and prints both, to show the cost of the
 * command log.
 */
public final class ClusterBenchmark {
    private static final int IN_FLIGHT = 256;
    private static final int FIRST_PORT = 21_400;

    private final Path directory;
    private final int commands;
    private final int rounds;
    private final int volumes;

    private ClusterBenchmark(Path directory, int commands, int rounds, int volumes) {
        this.directory = directory;
        this.commands = commands;
        this.rounds = rounds;
        this.volumes = volumes;
    }

    /**
     * Runs all measurements.
     *
     * @param args {@code --commands N} for the commands in a round, 20000 by default; {@code --rounds N}, 5 by default; {@code --volumes N}
     *     to restore, 100000 by default
     */
    public static void main(String[] args) throws Exception {
        int commands = 20_000;
        int rounds = 5;
        int volumes = 100_000;
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--commands" -> commands = Integer.parseInt(args[i + 1]);
                case "--rounds" -> rounds = Integer.parseInt(args[i + 1]);
                case "--volumes" -> volumes = Integer.parseInt(args[i + 1]);
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        Path directory = Files.createTempDirectory("csi4j-cluster-");
        try {
            System.out.println("| measurement | value | budget |");
            System.out.println("| --- | --: | --: |");
            new ClusterBenchmark(directory, commands, rounds, volumes).run();
        } finally {
            remove(directory);
        }
        System.exit(0);
    }

    private void run() throws Exception {
        throughput(1);
        throughput(3);
        cycles(1);
        cycles(3);
        restore();
        failOver();
    }

    private static void line(String label, String value, String budget) {
        System.out.println("| " + label + " | " + value + " | " + budget + " |");
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static String peers(int count) {
        return count == 1 ? "one peer" : count + " peers";
    }

    /**
     * Measures the throughput of the csi4j log and of the counter on Ratis in alternating rounds. The result is the
     * median of the ratios of all rounds.
     */
    private void throughput(int count) throws Exception {
        List<Double> csi = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        try (CsiLog log = new CsiLog(directory.resolve("csi-" + count), count, FIRST_PORT);
                BareLog counter = new BareLog(directory.resolve("bare-" + count), count, FIRST_PORT + 10)) {
            MeasuredLog.commandsPerSecond(log, commands, IN_FLIGHT);
            MeasuredLog.commandsPerSecond(counter, commands, IN_FLIGHT);
            for (int round = 0; round < rounds; round++) {
                csi.add(MeasuredLog.commandsPerSecond(log, commands, IN_FLIGHT));
                bare.add(MeasuredLog.commandsPerSecond(counter, commands, IN_FLIGHT));
                ratios.add(csi.get(round) / bare.get(round));
            }
        }
        line("commands per second, " + peers(count) + ", " + IN_FLIGHT + " in flight", number("%.0f", median(csi)), "");
        line("entries per second of a counter on Ratis, " + peers(count), number("%.0f", median(bare)), "");
        line("ratio, " + peers(count), number("%.2f", median(ratios)), "0.8");
    }

    private void cycles(int count) throws Exception {
        try (CsiLog log = new CsiLog(directory.resolve("cycles-" + count), count, FIRST_PORT + 20)) {
            RatisCommandLog leader = log.leader();
            try (Cycles cycles = new Cycles(leader, 1_000)) {
                cycles.perSecond(2_000);
                List<Double> perSecond = new ArrayList<>();
                long index = leader.status().lastIndex();
                long bytes = logBytes(count);
                for (int round = 0; round < rounds; round++) {
                    perSecond.add(cycles.perSecond(2_000));
                }
                double used = (double) (logBytes(count) - bytes) / (rounds * 2_000) / count;
                double entries = (double) (leader.status().lastIndex() - index) / (rounds * 2_000);
                line("claims with release per second, " + peers(count), number("%.0f", median(perSecond)), "");
                line("log entries for each, " + peers(count), number("%.1f", entries), "");
                line("bytes on each disk for each, " + peers(count), number("%.0f", used), "");
                cycles.latencies(500);
                long[] nanos = cycles.latencies(1_000);
                line("time of a claim, p50, " + peers(count), number("%.2f ms", nanos[nanos.length / 2] / 1e6), "");
                line(
                        "time of a claim, p99, " + peers(count),
                        number("%.2f ms", nanos[nanos.length * 99 / 100] / 1e6),
                        "");
            }
        }
    }

    /** Returns the bytes that all files of the log need on the disk. */
    private long logBytes(int count) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("cycles-" + count))) {
            return files.filter(file -> file.getFileName().toString().startsWith("log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    @SuppressWarnings("try") // The cycles only fill the state.
    private void restore() throws Exception {
        Path files = directory.resolve("restore");
        try (CsiLog log = new CsiLog(files, 1, FIRST_PORT);
                Cycles cycles = new Cycles(log.leader(), volumes)) {
            log.leader().takeSnapshot().join();
        }
        long start = System.nanoTime();
        try (CsiLog log = new CsiLog(files, 1, FIRST_PORT)) {
            RatisCommandLog leader = log.leader();
            double seconds = (System.nanoTime() - start) / 1e9;
            long rows =
                    leader.state().snapshot().volumes(VolumeQuery.all()).items().size();
            if (rows == 0) {
                throw new IllegalStateException("nothing was restored");
            }
            line("start of a peer with a snapshot of " + volumes + " volumes", number("%.2f s", seconds), "");
        }
    }

    private void failOver() throws Exception {
        List<Double> csi = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        try (FailOver counter = new FailOver("bare", FIRST_PORT + 40, directory.resolve("fail-bare"))) {
            for (int round = 0; round < rounds; round++) {
                bare.add((double) counter.round());
            }
        }
        try (FailOver cluster = new FailOver("csi", FIRST_PORT + 50, directory.resolve("fail-csi"))) {
            for (int round = 0; round < rounds; round++) {
                csi.add((double) cluster.round());
            }
        }
        line("from kill -9 of the leader to the next accepted claim", number("%.0f ms", median(csi)), "");
        line("the same for an entry of a counter on Ratis", number("%.0f ms", median(bare)), "");
        line("ratio", number("%.2f", median(csi) / median(bare)), "1.5");
        line("all rounds", csi + " and " + bare, "");
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private static void remove(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path folder, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
