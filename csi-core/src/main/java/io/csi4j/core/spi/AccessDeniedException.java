package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;

/** The caller may not do that. Nothing was read, written or sent. */
public final class AccessDeniedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * A refused operation.
     *
     * @param caller the caller's name
     * @param access what was refused
     */
    public AccessDeniedException(String caller, Access access) {
        super("caller '" + caller + "' needs " + access + "; grant it, or use another caller");
    }
}
