package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/**
 * An encoded state that cannot be read: cut short, changed, made by a newer version, or holding what no state can
 * hold. The store that was to be restored is as it was.
 */
public final class StateFormatException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final long position;

    StateFormatException(long position, String record, String why, @Nullable Throwable cause) {
        super(
                "Encoded state is not usable at byte " + position + ", " + record + ": " + why
                        + ". Nothing was restored; use another copy",
                cause);
        this.position = position;
    }

    /**
     * Where the record begins that cannot be read.
     *
     * @return bytes from the start of the encoding
     */
    public long position() {
        return position;
    }
}
