package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the outcome of a command is unknown: the log may have applied the command, may apply it later, or may
 * never apply it. Submit the command again.
 */
public final class UnansweredCommandException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure and the remedy
     * @param cause the last failure, or null
     */
    public UnansweredCommandException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
