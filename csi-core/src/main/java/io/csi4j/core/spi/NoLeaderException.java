package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that no leader accepted a command in time, because too few servers, or not the database of the log, could be
 * reached. The message names them. If an attempt reached one, the log may still apply the command. Submit the command
 * again later.
 */
public final class NoLeaderException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure and the remedy
     * @param cause the last failure, or null
     */
    public NoLeaderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
