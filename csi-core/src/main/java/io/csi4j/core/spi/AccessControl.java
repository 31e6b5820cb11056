package io.csi4j.core.spi;

import java.security.Principal;

/**
 * Decides who may do what. Asked before an operation reads, writes or sends anything, once for each
 * object the operation touches. Safe for use by many threads; answers from memory.
 */
@FunctionalInterface
public interface AccessControl {
    /**
     * Whether a caller may do something.
     *
     * @param caller who, as the host names its callers
     * @param access what, and where
     * @return false refuses the operation
     */
    boolean allows(Principal caller, Access access);

    /**
     * Access control switched off.
     *
     * @return allows everything to everybody
     */
    static AccessControl off() {
        return (caller, access) -> true;
    }
}
