package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * Reports an encoded state that cannot be read, because it is cut short, changed, written by a newer version, or has invalid values. The
 * store is unchanged.
 */
public final class StateFormatException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final long position;

    StateFormatException(long position, String record, String reason, @Nullable Throwable cause) {
        super(
                "Encoded state is not usable at byte " + position + ", " + record + ": " + reason
                        + ". Nothing was restored; use another copy",
                cause);
        this.position = position;
    }

    /** Returns the position of the unreadable record, in bytes from the start of the encoding. */
    public long position() {
        return position;
    }
}
