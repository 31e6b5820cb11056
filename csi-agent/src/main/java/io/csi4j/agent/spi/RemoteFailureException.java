package io.csi4j.agent.spi;

import io.csi4j.core.call.CsiException;

/**
 * The other side did not do what was asked, or has not done it yet, and it was no call to a plugin that failed. Where
 * it is {@linkplain #retryable() retryable}, it may have had effect, and repeating it is harmless.
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
