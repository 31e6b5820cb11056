package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/**
 * A {@link CommandLog} that is closed: the command was not applied, and this log applies none any more. Repeating the
 * operation with the same engine cannot help; an engine over another log can do it.
 */
public final class LogClosedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * A log that takes no commands any more.
     *
     * @param log which log, for an operator
     */
    public LogClosedException(String log) {
        super(log + ": it is closed; the command was not applied; use an engine whose log is open");
    }
}
