package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/** The provider refused for certain, and things are as they were. The cause says why. */
public final class RefusedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal that is not tried again by itself.
     *
     * @param cause what the plugin answered
     */
    public RefusedException(Throwable cause) {
        super(cause.getMessage() + "; nothing was changed, cure the cause and repeat", cause);
    }
}
