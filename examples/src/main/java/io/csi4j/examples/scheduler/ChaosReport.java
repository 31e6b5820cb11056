package io.csi4j.examples.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The verdict of a chaos run. */
final class ChaosReport {
    private final Layout layout;
    private final Map<String, Integer> counts;
    private final int rounds;

    ChaosReport(Layout layout, Map<String, Integer> counts, int rounds) {
        this.layout = layout;
        this.counts = counts;
        this.rounds = rounds;
    }

    /** Prints the verdict, and adds the violations that workloads found to the leaks. */
    void print(List<String> leaks) throws IOException {
        leaks.addAll(lines(layout.report("violations")));
        System.out.println("rounds: " + rounds);
        counts.forEach((name, count) -> System.out.println(name + ": " + count));
        long[] millis = lines(layout.report("grants")).stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sorted()
                .toArray();
        System.out.println("allocations that got their volumes: " + millis.length + "; from placement to mount: "
                + percentile(millis, 50) + " ms (half), " + percentile(millis, 99) + " ms (99 of 100), "
                + LongStream.of(millis).max().orElse(0) + " ms (longest)");
        leaks.forEach(leak -> System.out.println("LEAK: " + leak));
        System.out.println(
                leaks.isEmpty()
                        ? "Verdict: clean. Nothing is attached, mounted, or left at the provider."
                        : "Verdict: NOT CLEAN, " + leaks.size() + " leak(s).");
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }
}
