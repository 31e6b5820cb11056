package io.csi4j.core.rpc;

import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeUsage;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of NodeGetVolumeStats: the usage of a volume at a path (R92).
 *
 * @param usage the usage in each unit; may be empty
 * @param volumeCondition the condition of the volume; only up to CSI 1.12, from plugins with the capability
 *     VOLUME_CONDITION
 */
public record NodeGetVolumeStatsResponse(List<VolumeUsage> usage, Optional<VolumeCondition> volumeCondition) {
    public NodeGetVolumeStatsResponse {
        usage = List.copyOf(Objects.requireNonNull(usage, "usage"));
        Objects.requireNonNull(volumeCondition, "volumeCondition");
    }
}
