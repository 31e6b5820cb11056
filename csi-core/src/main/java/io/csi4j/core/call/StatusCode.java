package io.csi4j.core.call;

/**
 * The canonical gRPC status codes. A caller of CSI has to handle all of them (R31).
 *
 * <p>The CSI specification prints RESOURCE_EXHAUSTED with the number 13 in its tables about snapshots, which is a
 * mistake. In gRPC the number of RESOURCE_EXHAUSTED is 8, and 13 is INTERNAL.
 */
public enum StatusCode {
    /** The call succeeded. */
    OK(0),
    /** The caller or the plugin cancelled the call; the plugin may continue its work (R30). */
    CANCELLED(1),
    /** The plugin reported an error without a better code. */
    UNKNOWN(2),
    /** A field is missing, invalid or unsupported. */
    INVALID_ARGUMENT(3),
    /** No response arrived in time; the plugin may continue its work (R30). */
    DEADLINE_EXCEEDED(4),
    /** The volume, node, snapshot or source does not exist. */
    NOT_FOUND(5),
    /** The object exists and is incompatible with the request. */
    ALREADY_EXISTS(6),
    /** The caller's identity lacks permissions. */
    PERMISSION_DENIED(7),
    /** A limit is reached: the node is full, the quota is used up, or the storage is full. */
    RESOURCE_EXHAUSTED(8),
    /** The state does not permit the call: the volume is in use, published elsewhere, or not staged. */
    FAILED_PRECONDITION(9),
    /** Another operation is pending for the object; for a list, the token has expired (R72). */
    ABORTED(10),
    /** The size or offset is out of range. */
    OUT_OF_RANGE(11),
    /** The plugin does not support the RPC, or does not support it in this mode. */
    UNIMPLEMENTED(12),
    /** An internal error of the plugin or of the transport. */
    INTERNAL(13),
    /** The plugin is unreachable, or the connection broke. */
    UNAVAILABLE(14),
    /** Data is lost or corrupt. */
    DATA_LOSS(15),
    /** The secrets are wrong or missing. */
    UNAUTHENTICATED(16);

    private final int number;

    StatusCode(int number) {
        this.number = number;
    }

    /** Returns the number of the code in gRPC, 0 to 16. */
    public int number() {
        return number;
    }
}
