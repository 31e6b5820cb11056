package io.csi4j.core.spi;

import java.security.Principal;

/**
 * Decides which operations a caller may perform. The engine calls {@link #allows} once for each object of an operation,
 * before the operation reads, writes or sends anything. Implementations must be safe for use by many threads and must
 * not block.
 */
@FunctionalInterface
public interface AccessControl {
    /**
     * Returns whether a caller has a permission. If the caller does not have it, the engine rejects the operation.
     *
     * @param caller the identity of the caller, which the host passed to the engine
     * @param access the permission that the operation needs, and the namespace in which it is needed
     */
    boolean allows(Principal caller, Access access);

    /** Returns an access control that permits every operation to every caller. */
    static AccessControl off() {
        return (caller, access) -> true;
    }
}
