package io.csi4j.state;

import org.jspecify.annotations.Nullable;

/**
 * Reports an encoded command or outcome of a newer version of csi4j. A replica that gets one must stop before it applies
 * further commands, and needs an upgrade.
 */
public final class NewerFormatException extends CommandFormatException {
    private static final long serialVersionUID = 1L;

    NewerFormatException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
