package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import java.time.Duration;

/**
 * Reports that a call was not sent because its secrets were not available. The exception has no cause, because a cause
 * might contain a secret.
 */
public final class NoSecretsException extends CsiException {
    private static final long serialVersionUID = 1L;

    NoSecretsException(String subject, Rpc rpc) {
        this(subject, rpc, "could not be had");
    }

    /** Creates the exception for a secrets provider that did not answer in time. */
    NoSecretsException(String subject, Rpc rpc, Duration timeout) {
        this(subject, rpc, "did not come within " + timeout);
    }

    private NoSecretsException(String subject, Rpc rpc, String what) {
        super(subject + ": the secrets for " + rpc.csiName() + " " + what
                + ", so nothing was sent; see to the secrets provider");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
