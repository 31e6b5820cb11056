package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/** Reports that too many commands wait for the log. The command was not submitted; submit it again later. */
public final class LogOverloadedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure and the remedy
     */
    public LogOverloadedException(String message) {
        super(message);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
