package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the {@link ReplicatedLog} of this server has stopped: what it has stored is damaged or was put back, its
 * disk is full or broken, its state differs from that of the other servers, or the log has an entry of a newer version.
 * The message names the cause and the remedy.
 */
public final class LogFailedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure, the file or index, and the remedy
     * @param cause the cause, or null
     */
    public LogFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
