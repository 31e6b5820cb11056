package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that an operation has not finished within its time limit. Nothing is undone. The message says whether the
 * intent is stored, is not stored, or may be stored. If it is stored, the leader continues the operation. Calling the
 * operation again continues where it stopped.
 */
public final class UnfinishedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the unfinished step and the reason
     * @param cause the failure of the last attempt; null if no attempt has ended
     */
    public UnfinishedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
