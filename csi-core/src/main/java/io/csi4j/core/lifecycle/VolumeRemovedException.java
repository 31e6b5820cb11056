package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.VolumeKey;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request whose volume was removed from the state while the request waited for it: it was deregistered, forgotten
 * or deleted, or its creation was given up. The message says what may be left at the storage provider. Look whether there
 * is another volume with the key, and repeat the request if it is still wanted.
 */
public final class VolumeRemovedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient VolumeKey volume;

    /**
     * Creates the exception.
     *
     * @param cause the cause, or null
     */
    public VolumeRemovedException(VolumeKey volume, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.volume = volume;
    }

    /** Returns the key of the volume, or null after deserialization. */
    public VolumeKey volume() {
        return volume;
    }
}
