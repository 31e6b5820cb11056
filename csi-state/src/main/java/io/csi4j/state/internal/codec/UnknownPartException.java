package io.csi4j.state.internal.codec;

import org.jspecify.annotations.Nullable;

/** Reports a kind, a field or a name in a message that this version does not know. */
public final class UnknownPartException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnknownPartException(String message, @Nullable Throwable cause) {
        super(message + ", which is not known here; a newer version may have written it", cause);
    }
}
