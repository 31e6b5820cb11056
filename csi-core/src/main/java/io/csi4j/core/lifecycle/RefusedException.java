package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/**
 * Reports that the plugin certainly refused a request and changed nothing. The cause of this exception has the plugin's
 * reason.
 */
public final class RefusedException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param cause the plugin's response
     */
    public RefusedException(Throwable cause) {
        super(cause.getMessage() + "; nothing was changed, cure the cause and repeat", cause);
    }
}
