package io.csi4j.testkit.sim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;

/** The last things that happened, as a sequence diagram (Mermaid). */
final class SimTrace {
    private static final int MOST = 400;

    private final SimScheduler scheduler;
    private final Deque<String> lines = new ArrayDeque<>();
    private long forgotten;

    SimTrace(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    void message(String from, String to, String text) {
        add(from + "->>" + to + ": " + time() + " " + text);
    }

    void note(String over, String text) {
        add("Note over " + over + ": " + time() + " " + text);
    }

    private void add(String line) {
        if (lines.size() == MOST) {
            lines.removeFirst();
            forgotten++;
        }
        lines.addLast(line);
    }

    private String time() {
        Duration elapsed = scheduler.elapsed();
        return String.format(Locale.ROOT, "%.3fs", elapsed.toNanos() / 1e9);
    }

    String diagram() {
        StringBuilder text = new StringBuilder("sequenceDiagram\n");
        if (forgotten > 0) {
            text.append("  %% ").append(forgotten).append(" earlier lines left out\n");
        }
        lines.forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }
}
