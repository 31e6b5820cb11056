package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;

/**
 * The health of a volume as CSI tells it since 1.13 (R104). No entries: healthy.
 *
 * @param volumeId the volume
 * @param healthStatuses what is wrong; empty: nothing
 */
public record VolumeHealth(ExternalVolumeId volumeId, List<VolumeHealthEntry> healthStatuses) {
    /** Checks that all parts are there and copies collections. */
    public VolumeHealth {
        Objects.requireNonNull(volumeId, "volumeId");
        healthStatuses = List.copyOf(healthStatuses);
    }
}
