package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;

/**
 * Reports that the plugin has created an object, such as a snapshot, that is not ready to use yet. Sending the same
 * request again shows when the object is ready (R77).
 */
public final class NotReadyException extends CsiException {
    private static final long serialVersionUID = 1L;

    public NotReadyException(String what) {
        super(what + " was cut and is not ready to use yet");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
