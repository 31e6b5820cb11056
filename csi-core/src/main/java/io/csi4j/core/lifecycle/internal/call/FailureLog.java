package io.csi4j.core.lifecycle.internal.call;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The one place where the engine logs what others threw. A port of the host may put anything into a message, a secret
 * too (I10), so neither messages nor stack traces are logged: only what the engine was at, and of the failure
 * and its causes the class and the line of code it came from.
 */
public final class FailureLog {
    private static final System.Logger LOG = System.getLogger(FailureLog.class.getName());
    private static final int MOST_CAUSES = 5;

    private FailureLog() {}

    /** Logs that something failed; the text is the engine's own. */
    public static void warn(String what, Throwable why) {
        LOG.log(Level.WARNING, () -> what + ": " + text(why));
    }

    public static String text(Throwable why) {
        List<String> parts = new ArrayList<>();
        Optional<Throwable> next = Optional.of(why);
        while (next.isPresent() && parts.size() < MOST_CAUSES) {
            Throwable cause = next.get();
            StackTraceElement[] trace = cause.getStackTrace();
            parts.add(cause.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]));
            next = Optional.ofNullable(cause.getCause());
        }
        return String.join(", caused by ", parts);
    }
}
