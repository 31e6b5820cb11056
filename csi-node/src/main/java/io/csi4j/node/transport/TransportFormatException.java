package io.csi4j.node.transport;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/** Reports bytes that are not a value of the expected kind, or that a newer version has encoded. */
public final class TransportFormatException extends CsiException {
    private static final long serialVersionUID = 1L;

    TransportFormatException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
