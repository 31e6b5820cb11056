package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;

/**
 * The health of a volume since CSI 1.13 (R104). A volume without entries is healthy.
 *
 * @param volumeId the volume
 * @param healthStatuses the problems; empty if there is none
 */
public record VolumeHealth(ExternalVolumeId volumeId, List<VolumeHealthEntry> healthStatuses) {
    public VolumeHealth {
        Objects.requireNonNull(volumeId, "volumeId");
        healthStatuses = List.copyOf(healthStatuses);
    }
}
