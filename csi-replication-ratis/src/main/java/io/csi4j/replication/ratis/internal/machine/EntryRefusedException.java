package io.csi4j.replication.ratis.internal.machine;

/**
 * Reports a request that is not a readable entry, so that it did not enter the log. Ratis creates this exception by
 * reflection at the peer that sent the request.
 */
public final class EntryRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a message. */
    public EntryRefusedException(String message) {
        super(message);
    }
}
