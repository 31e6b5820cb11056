package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * A volume of a provider's that is not well, registered here or not.
 *
 * @param volumeId what the provider calls it
 * @param health what is wrong with it
 */
public record AbnormalVolume(ExternalVolumeId volumeId, VolumeHealthReport health) {
    /** Checks that all parts are there. */
    public AbnormalVolume {
        Objects.requireNonNull(volumeId, "volumeId");
        Objects.requireNonNull(health, "health");
    }
}
