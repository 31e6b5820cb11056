package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/**
 * This engine does not lead, or no longer. What was taken stays taken: ask the engine that leads, with the
 * same request; it goes on where this one stopped.
 */
public final class NotLeadingException extends CsiException {
    private static final long serialVersionUID = 1L;

    /** A request that came to the wrong engine, or too late. */
    public NotLeadingException() {
        super("this engine does not lead; ask the one that does, with the same request");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
