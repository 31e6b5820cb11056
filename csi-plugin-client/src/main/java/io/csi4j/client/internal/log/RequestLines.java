package io.csi4j.client.internal.log;

import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes the lines of a request log and numbers its calls. Thread-safe.
 *
 * @param on whether lines are to be written now
 * @param lines receives each line
 * @param visibleKeys keys of contexts and parameters whose values are shown
 * @param calls counts the calls; holds the number of the last call
 */
public record RequestLines(BooleanSupplier on, Consumer<String> lines, Set<String> visibleKeys, AtomicLong calls) {
    /** The longest value that is shown completely, in characters. */
    public static final int MAX_CHARS = 200;

    /** The longest list or map that is shown completely. */
    public static final int MAX_ELEMENTS = 10;

    /** The longest message that is shown completely, in characters. */
    public static final int MAX_LINE = 8_000;

    private static final System.Logger LOG = System.getLogger(RequestLines.class.getName());

    public boolean isOn() {
        return on.getAsBoolean();
    }

    public long nextCall() {
        return calls.incrementAndGet();
    }

    public void write(Supplier<String> line) {
        try {
            lines.accept(line.get());
        } catch (RuntimeException | Error e) {
            // Logs only the class of the exception, because its message may contain secrets.
            LOG.log(
                    Level.WARNING,
                    "The log of requests failed with a {0}; the call continues",
                    e.getClass().getName());
        }
    }
}
