package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/**
 * Thrown when the secrets of a call are absent, so the call was not sent. The caller may retry when the secrets are
 * stored.
 */
public final class SecretsAbsentException extends CsiException {
    private static final long serialVersionUID = 1L;

    public SecretsAbsentException(SecretsQuery query) {
        super(query.subject() + ": there are no secrets for " + query.rpc().csiName()
                + ", so nothing was sent; store them, or permit calls without (SecretSets.Builder.permitAbsent)");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
