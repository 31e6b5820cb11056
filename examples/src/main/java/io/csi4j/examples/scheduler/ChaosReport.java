package io.csi4j.examples.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The verdict of a chaos run. */
final class ChaosReport {
    private final ClusterLayout layout;
    private final Map<String, Integer> counts;
    private final int rounds;

    ChaosReport(ClusterLayout layout, Map<String, Integer> counts, int rounds) {
        this.layout = layout;
        this.counts = counts;
        this.rounds = rounds;
    }

    /**
     * Returns the verdict as text. It counts violations that workloads found as leaks, and adds them to the given list.
     */
    String text(List<String> leaks) throws IOException {
        leaks.addAll(lines(layout.report("violations")));
        List<String> text = new ArrayList<>(List.of("rounds: " + rounds));
        counts.forEach((name, count) -> text.add(name + ": " + count));
        long[] millis = lines(layout.report("grants")).stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sorted()
                .toArray();
        text.add("allocations that got their volumes: " + millis.length + "; from placement to mount: "
                + percentile(millis, 50) + " ms (half), " + percentile(millis, 99) + " ms (99 of 100), "
                + percentile(millis, 100) + " ms (longest)");
        leaks.forEach(leak -> text.add("LEAK: " + leak));
        text.add(
                leaks.isEmpty()
                        ? "Verdict: clean. Nothing is attached, mounted, or left at the provider."
                        : "Verdict: NOT CLEAN, " + leaks.size() + " leak(s).");
        return String.join(System.lineSeparator(), text);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private static long percentile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }
}
