package io.csi4j.replication.ratis;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that no leader accepted a command in time, because a majority of the peers could not be reached. The message
 * names the peers. If an attempt reached a peer, the log may still apply the command. Submit the command again later.
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
