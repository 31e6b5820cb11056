package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * An operation is not done within the time it has. Nothing is undone. The message says whether its intent is stored,
 * so that the leader goes on with it, whether nothing was stored, or whether that is not known. A repeat goes on
 * where the operation stopped.
 */
public final class UnfinishedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * An operation that takes too long.
     *
     * @param message what is not done, and why
     * @param cause what the last attempt failed with; null: none has ended
     */
    public UnfinishedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
