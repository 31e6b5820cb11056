package io.csi4j.core.spi;

import java.security.Principal;

/**
 * Decides which operations a caller may perform. The engine asks once for each object of an operation, before it
 * reads, writes or sends anything. Implementations must be safe for use by many threads and must not block.
 */
@FunctionalInterface
public interface AccessControl {
    /**
     * Returns whether a caller has a permission; false rejects the operation.
     *
     * @param caller the caller, as the host names its callers
     * @param access the needed permission and its namespace
     */
    boolean allows(Principal caller, Access access);

    /** Returns an access control that allows everything to every caller. */
    static AccessControl off() {
        return (caller, access) -> true;
    }
}
