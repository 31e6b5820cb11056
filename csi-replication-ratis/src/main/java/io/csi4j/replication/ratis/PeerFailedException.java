package io.csi4j.replication.ratis;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports that this peer has stopped: its files are damaged, its disk is full or broken, its state differs from that of
 * the other peers, or the log has an entry of a newer version. The message names the cause and how to repair the peer.
 */
public final class PeerFailedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure, the file or index, and the remedy
     * @param cause the cause, or null
     */
    public PeerFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
