package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import java.time.Duration;

/** The secrets of a call could not be had, so it was not sent. Has no cause: that might quote one. */
public final class NoSecretsException extends CsiException {
    private static final long serialVersionUID = 1L;

    NoSecretsException(String subject, Rpc rpc) {
        this(subject, rpc, "could not be had");
    }

    /** The provider did not answer. */
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
