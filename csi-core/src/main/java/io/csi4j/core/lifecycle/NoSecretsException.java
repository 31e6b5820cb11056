package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;

/** The secrets of a call could not be had, so it was not sent. Has no cause: that might quote one. */
final class NoSecretsException extends CsiException {
    private static final long serialVersionUID = 1L;

    NoSecretsException(String subject, Rpc rpc) {
        super(subject + ": the secrets for " + rpc.csiName()
                + " could not be had, so nothing was sent; see to the secrets provider");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
