package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/** Something was made and is not ready for use yet; the same request again tells when it is (R77). */
final class NotReadyException extends CsiException {
    private static final long serialVersionUID = 1L;

    NotReadyException(String what) {
        super(what + " was cut and is not ready to use yet");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
