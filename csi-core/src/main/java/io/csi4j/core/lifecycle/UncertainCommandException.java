package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/** The log did not say what came of a command: it may have been applied, or not. Repeating it is harmless. */
public final class UncertainCommandException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * A command whose fate is not known.
     *
     * @param cause what the log failed with
     */
    public UncertainCommandException(Throwable cause) {
        super("the command log did not answer: " + cause.getMessage() + "; repeat the operation", cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
