package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.ExternalVolumeId;
import java.util.Objects;

/**
 * A volume that its storage provider reports as abnormal. The state may or may not have a row for the volume.
 *
 * @param volumeId the storage provider's id of the volume
 * @param health the reported problems
 */
public record AbnormalVolume(ExternalVolumeId volumeId, VolumeHealthReport health) {
    public AbnormalVolume {
        Objects.requireNonNull(volumeId, "volumeId");
        Objects.requireNonNull(health, "health");
    }
}
