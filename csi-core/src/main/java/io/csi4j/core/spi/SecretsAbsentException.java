package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/** The secrets of a call are not where they should be, so it was not sent. It may be repeated once they are. */
public final class SecretsAbsentException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * The absence of a set.
     *
     * @param query for which call
     */
    public SecretsAbsentException(SecretsQuery query) {
        super(query.subject() + ": there are no secrets for " + query.rpc().csiName()
                + ", so nothing was sent; store them, or permit calls without (SecretSets.Builder.sendWithoutAbsent)");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
