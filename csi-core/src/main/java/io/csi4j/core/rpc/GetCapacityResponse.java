package io.csi4j.core.rpc;

import java.util.Objects;
import java.util.Optional;

/**
 * Room for new volumes (CSI {@code GetCapacity}, R75).
 *
 * @param availableCapacity bytes that are left
 * @param maximumVolumeSize the largest volume that can be made, in bytes
 * @param minimumVolumeSize the smallest volume that can be made, in bytes; alpha
 */
public record GetCapacityResponse(
        long availableCapacity, Optional<Long> maximumVolumeSize, Optional<Long> minimumVolumeSize) {
    public GetCapacityResponse {
        Objects.requireNonNull(maximumVolumeSize, "maximumVolumeSize");
        Objects.requireNonNull(minimumVolumeSize, "minimumVolumeSize");
    }
}
