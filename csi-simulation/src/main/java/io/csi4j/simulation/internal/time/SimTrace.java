package io.csi4j.simulation.internal.time;

import java.util.ArrayDeque;
import java.util.Deque;

/** Keeps the last events and prints them as a Mermaid sequence diagram. */
public final class SimTrace {
    private static final int MAX_LINES = 400;

    private final SimScheduler scheduler;
    private final Deque<String> lines = new ArrayDeque<>();
    private long dropped;

    public SimTrace(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    public void message(String from, String to, String text) {
        add(from + "->>" + to + ": " + time() + " " + text);
    }

    public void note(String participant, String text) {
        add("Note over " + participant + ": " + time() + " " + text);
    }

    private void add(String line) {
        if (lines.size() == MAX_LINES) {
            lines.removeFirst();
            dropped++;
        }
        lines.addLast(line);
    }

    private String time() {
        long millis = scheduler.elapsed().toMillis();
        long fraction = millis % 1000;
        return millis / 1000 + (fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".") + fraction + "s";
    }

    public String diagram() {
        StringBuilder text = new StringBuilder("sequenceDiagram\n");
        if (dropped > 0) {
            text.append("  %% ").append(dropped).append(" earlier lines omitted\n");
        }
        lines.forEach(line -> text.append("  ").append(line).append('\n'));
        return text.toString();
    }
}
