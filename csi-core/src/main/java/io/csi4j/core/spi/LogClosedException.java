package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/**
 * Reports that a command was not applied because its {@link CommandLog} is closed. The log accepts no further commands.
 * The caller can repeat the operation on an engine that has another log.
 */
public final class LogClosedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param log the name of the log, for an operator
     */
    public LogClosedException(String log) {
        super(log + ": it is closed; the command was not applied; use an engine whose log is open");
    }
}
