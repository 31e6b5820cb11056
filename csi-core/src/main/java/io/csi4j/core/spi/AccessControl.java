package io.csi4j.core.spi;

import java.security.Principal;

/**
 * Decides which operations a caller may perform. The engine asks once for each object of an operation, before it
 * reads, writes or sends anything. Implementations must be safe for use by many threads and must not block.
 */
@FunctionalInterface
public interface AccessControl {
    /**
     * Returns whether a caller has a permission. If not, the operation is rejected.
     *
     * @param caller the caller, as the host names its callers
     * @param access the permission that the operation needs, and the namespace in which it is needed
     */
    boolean allows(Principal caller, Access access);

    /** Returns an access control that permits every operation to every caller. */
    static AccessControl off() {
        return (caller, access) -> true;
    }
}
