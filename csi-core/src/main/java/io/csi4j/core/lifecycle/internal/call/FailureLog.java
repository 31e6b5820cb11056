package io.csi4j.core.lifecycle.internal.call;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Logs failures of the host's services. Their exception messages may contain secrets. So a log entry has only the
 * engine's own text, and the class and the code line of the failure and of each cause.
 */
public final class FailureLog {
    private static final System.Logger LOG = System.getLogger(FailureLog.class.getName());
    private static final int MAX_CAUSES = 5;

    private FailureLog() {}

    /**
     * Logs a failure.
     *
     * @param what the engine's description of the failed step
     */
    public static void warn(String what, Throwable failure) {
        LOG.log(Level.WARNING, () -> what + ": " + text(failure));
    }

    /** Logs a fact that a person has to know and that has no exception. */
    public static void warn(String what) {
        LOG.log(Level.WARNING, what);
    }

    public static String text(Throwable failure) {
        List<String> parts = new ArrayList<>();
        Optional<Throwable> next = Optional.of(failure);
        while (next.isPresent() && parts.size() < MAX_CAUSES) {
            Throwable cause = next.get();
            StackTraceElement[] trace = cause.getStackTrace();
            parts.add(cause.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]));
            next = Optional.ofNullable(cause.getCause());
        }
        return String.join(", caused by ", parts);
    }
}
