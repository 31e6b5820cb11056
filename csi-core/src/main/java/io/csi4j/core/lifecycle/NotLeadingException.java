package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/**
 * Reports that this engine does not lead, or has stopped leading. Claims that this engine has already taken for the
 * request stay taken. Send the same request to the leading engine, which continues where this engine stopped.
 */
public final class NotLeadingException extends CsiException {
    private static final long serialVersionUID = 1L;

    public NotLeadingException() {
        super("this engine does not lead; ask the one that does, with the same request");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
