package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that an operation has not finished within its time. Nothing is undone. The message says whether the intent is
 * persisted, in which case the leader continues, or is not persisted, or may be persisted. A repeat continues where the
 * operation stopped.
 */
public final class UnfinishedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the unfinished step and the reason
     * @param cause the failure of the last attempt; null: no attempt has ended
     */
    public UnfinishedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
