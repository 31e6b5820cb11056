package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/** Reports an encoded command or outcome that cannot be decoded. The message contains nothing confidential. */
public class CommandFormatException extends CsiException {
    private static final long serialVersionUID = 1L;

    CommandFormatException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
