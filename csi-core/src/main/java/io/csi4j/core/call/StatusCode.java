package io.csi4j.core.call;

/**
 * The canonical status codes, all of which a caller of CSI has to handle (R31).
 *
 * <p>The specification prints RESOURCE_EXHAUSTED with the number 13 in its snapshot tables; that is
 * an erratum. Here, as on the wire, it is 8, and 13 is INTERNAL.
 */
public enum StatusCode {
    /** Done. */
    OK(0),
    /** Cancelled by one of the two sides; the work may go on (R30). */
    CANCELLED(1),
    /** An error without a better code. */
    UNKNOWN(2),
    /** A field is missing, invalid or unsupported. */
    INVALID_ARGUMENT(3),
    /** No answer in time; the work may go on (R30). */
    DEADLINE_EXCEEDED(4),
    /** The volume, node, snapshot or source does not exist. */
    NOT_FOUND(5),
    /** It exists, and is incompatible with the request. */
    ALREADY_EXISTS(6),
    /** The identity lacks rights. */
    PERMISSION_DENIED(7),
    /** A limit is reached: node full, quota used up, no room. */
    RESOURCE_EXHAUSTED(8),
    /** The state does not permit the call: in use, published elsewhere, not staged. */
    FAILED_PRECONDITION(9),
    /** Another operation is pending for it; for a listing, a token that is no longer good (R72). */
    ABORTED(10),
    /** The size or offset cannot be served. */
    OUT_OF_RANGE(11),
    /** The plugin has no such RPC, or not in this mode. */
    UNIMPLEMENTED(12),
    /** An invariant broke, at the plugin or on the wire. */
    INTERNAL(13),
    /** The plugin could not be reached, or the connection broke. */
    UNAVAILABLE(14),
    /** Unrecoverable loss or corruption. */
    DATA_LOSS(15),
    /** Secrets are bad or missing. */
    UNAUTHENTICATED(16);

    private final int number;

    StatusCode(int number) {
        this.number = number;
    }

    /**
     * The number on the wire.
     *
     * @return 0 to 16
     */
    public int number() {
        return number;
    }
}
