package io.csi4j.examples.walk;

import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints one aligned line for each step, and counts them. Safe for use by many threads. */
public final class StepLog {
    /** How a step ended. */
    public enum Outcome {
        /** As it should. */
        DONE,
        /** Done, with a result that somebody should look at. */
        WARNING,
        /** Not tried, for a reason that is no failure. */
        SKIPPED,
        /** Tried without success. */
        FAILED
    }

    private final PrintStream out;
    private final Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    private final Set<String> skips = new HashSet<>();
    private int steps;

    /**
     * A log that begins at step 1.
     *
     * @param out where the lines go
     */
    public StepLog(PrintStream out) {
        this.out = out;
    }

    /**
     * Prints the line of a step that was skipped; once for each step and reason.
     *
     * @param step its name
     * @param why the reason
     */
    public synchronized void skipped(String step, String why) {
        if (skips.add(step + ": " + why)) {
            line(step, Outcome.SKIPPED, null, why);
        }
    }

    /**
     * Prints the line of a step that was tried.
     *
     * @param step its name: the RPC, or a few words for what this program does itself
     * @param outcome how it ended
     * @param nanos how long it took
     * @param detail what came of it; line ends and other control characters become blanks
     */
    public void tried(String step, Outcome outcome, long nanos, String detail) {
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
     * Prints a line that is no step.
     *
     * @param text the line
     */
    public synchronized void say(String text) {
        out.println(text);
        out.flush();
    }

    /**
     * How many steps ended so.
     *
     * @param outcome the outcome
     * @return 0 or more
     */
    public synchronized int count(Outcome outcome) {
        return counts.getOrDefault(outcome, 0);
    }

    private static String text(Duration time) {
        long millis = time.toMillis();
        return millis < 10_000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }

    /** A plugin's text may hold anything; a terminal should get none of it as an instruction. */
    static String oneLine(String text) {
        return text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }
}
