package io.csi4j.state;

import io.csi4j.core.call.CsiException;

/** Reports that another writer did not finish in time. Nothing was changed; the caller may try the same write again. */
public final class WriteTimeoutException extends CsiException {
    private static final long serialVersionUID = 1L;

    WriteTimeoutException(String message) {
        super(message);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
