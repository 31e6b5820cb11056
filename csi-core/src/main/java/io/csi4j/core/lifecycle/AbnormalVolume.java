package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * An abnormal volume at the provider. The volume may be registered in the state or not.
 *
 * @param volumeId the provider's id of the volume
 * @param health the reported problems
 */
public record AbnormalVolume(ExternalVolumeId volumeId, VolumeHealthReport health) {
    public AbnormalVolume {
        Objects.requireNonNull(volumeId, "volumeId");
        Objects.requireNonNull(health, "health");
    }
}
