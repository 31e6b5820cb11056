package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import java.lang.System.Logger.Level;

/**
 * Logs failures of the host's services. Their exception messages may contain secrets. So a log entry has only the
 * engine's own text, and the class and the code line of the failure and of each cause.
 */
public final class FailureLog {
    private static final System.Logger LOG = System.getLogger(FailureLog.class.getName());

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
        return HostCallbacks.describe(failure);
    }
}
