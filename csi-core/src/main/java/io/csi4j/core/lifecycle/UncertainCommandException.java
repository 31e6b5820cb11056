package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/**
 * Reports that the outcome of a command is unknown: the log did not answer. Calling the operation again does no harm.
 */
public final class UncertainCommandException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param cause the failure of the log
     */
    public UncertainCommandException(Throwable cause) {
        super("the command log did not answer: " + cause.getMessage() + "; repeat the operation", cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
