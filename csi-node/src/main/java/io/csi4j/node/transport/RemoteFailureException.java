package io.csi4j.node.transport;

import io.csi4j.core.call.CsiException;

/**
 * Reports that a server or node did not perform a request, for a reason other than a failed call to a plugin. If the failure is
 * {@linkplain #retryable() retryable}, the request may have had its effect or may still have it, and repeating it is harmless.
 */
public final class RemoteFailureException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final String summary;
    private final boolean retryable;

    public RemoteFailureException(String message, boolean retryable) {
        this(message, "the other side did not do what was asked, or has not done it yet", retryable);
    }

    public RemoteFailureException(String message, String summary, boolean retryable) {
        super(message);
        this.summary = summary;
        this.retryable = retryable;
    }

    @Override
    public String summary() {
        return summary;
    }

    @Override
    public boolean retryable() {
        return retryable;
    }
}
