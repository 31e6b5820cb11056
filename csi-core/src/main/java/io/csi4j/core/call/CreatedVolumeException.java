package io.csi4j.core.call;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * The cause of a {@link CsiCallException} of CreateVolume if the plugin answered OK, and its answer cannot be used, but
 * has a usable volume id: the volume exists, and can be deleted by its id.
 */
public final class CreatedVolumeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient ExternalVolumeId volumeId;

    public CreatedVolumeException(ExternalVolumeId volumeId) {
        // The id is a text of the plugin, which may contain what it got in confidence.
        super("the plugin has made the volume", null, false, false);
        this.volumeId = Objects.requireNonNull(volumeId, "volumeId");
    }

    /** Returns the id of the volume, which exists. */
    public ExternalVolumeId volumeId() {
        return volumeId;
    }
}
