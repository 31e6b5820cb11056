package io.csi4j.state.internal.codec;

import org.jspecify.annotations.Nullable;

/** Reports that a message has a kind, a field or a name that this version of the library does not know. */
public final class UnknownPartException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnknownPartException(String message, @Nullable Throwable cause) {
        super(message + ", which is not known here; a newer version may have written it", cause);
    }
}
