package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.SecretsQuery;
import java.time.Duration;

/**
 * Reports that a call was not sent because its secrets were not available. The exception has no cause, because a cause
 * might contain a secret.
 */
public final class NoSecretsException extends CsiException {
    private static final long serialVersionUID = 1L;

    private NoSecretsException(SecretsQuery query, String what) {
        super(query.subject() + ": the secrets for " + query.rpc().csiName() + " " + what);
    }

    /** Returns the exception for a secrets provider that failed. */
    static NoSecretsException notReturned(SecretsQuery query) {
        return new NoSecretsException(query, "could not be had, so nothing was sent; see to the secrets provider");
    }

    /** Returns the exception for a secrets provider that did not answer in time. */
    static NoSecretsException late(SecretsQuery query, Duration timeout) {
        return new NoSecretsException(
                query,
                "did not come within " + Durations.text(timeout)
                        + ", so nothing was sent; see to the secrets provider");
    }

    /** Returns the exception for secrets that the secrets provider does not have. */
    static NoSecretsException absent(SecretsQuery query) {
        return new NoSecretsException(
                query,
                "are absent, so nothing was sent; store them, or let the host permit calls without"
                        + " them (SecretSets.Builder.permitAbsent)");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
