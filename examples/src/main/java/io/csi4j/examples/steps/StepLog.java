package io.csi4j.examples.steps;

import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints one aligned line for each step and counts the outcomes. Safe for use by several threads. */
public final class StepLog {
    /** The outcome of a step. */
    public enum Outcome {
        /** The step succeeded. */
        DONE,
        /** The step succeeded with a warning. */
        WARNING,
        /** The step was skipped for a harmless reason. */
        SKIPPED,
        /** The step failed. */
        FAILED
    }

    private final PrintStream out;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    private final Set<String> printedSkips = new HashSet<>();
    private int steps;

    /**
     * Creates a log that starts with step 1.
     *
     * @param out receives the lines
     */
    public StepLog(PrintStream out) {
        this.out = out;
    }

    /**
     * Prints the line of a skipped step, once for each step and reason.
     *
     * @param step the name of the step
     * @param reason the reason
     */
    public synchronized void skipped(String step, String reason) {
        if (printedSkips.add(step + ": " + reason)) {
            line(step, Outcome.SKIPPED, null, reason);
        }
    }

    /**
     * Prints the line of an executed step.
     *
     * @param step the name of the step: the RPC, or a short text for an action of this program
     * @param outcome the outcome
     * @param nanos the duration
     * @param detail the result; line ends and other control characters are replaced by blanks
     */
    public void executed(String step, Outcome outcome, long nanos, String detail) {
        line(step, outcome, Duration.ofNanos(nanos), detail);
    }

    private synchronized void line(String step, Outcome outcome, @Nullable Duration time, String detail) {
        steps++;
        counts.merge(outcome, 1, Integer::sum);
        out.println(String.format(
                        Locale.ROOT,
                        "%3d  %-30s  %-7s  %9s  %s",
                        steps,
                        step,
                        outcome.name().toLowerCase(Locale.ROOT),
                        time == null ? "" : text(time),
                        oneLine(detail))
                .stripTrailing());
        out.flush();
    }

    /**
     * Prints a line that belongs to no step.
     *
     * @param text the line
     */
    public synchronized void print(String text) {
        out.println(text);
        out.flush();
    }

    /**
     * Returns the number of steps with an outcome.
     *
     * @param outcome the outcome
     * @return the number of steps
     */
    public synchronized int count(Outcome outcome) {
        return counts.getOrDefault(outcome, 0);
    }

    /**
     * Formats a duration.
     *
     * @param time the duration
     * @return a text, for example {@code 250 ms} or {@code 12.5 s}
     */
    public static String text(Duration time) {
        long millis = time.toMillis();
        return millis < 10_000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** Removes control characters, because a plugin's text must not control the terminal. */
    static String oneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }
}
