package io.csi4j.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

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
        long millis = scheduler.elapsed().toMillis();
        long part = millis % 1000;
        return millis / 1000 + (part < 10 ? ".00" : part < 100 ? ".0" : ".") + part + "s";
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
