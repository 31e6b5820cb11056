package io.csi4j.core.rpc;

import java.util.Objects;
import java.util.Optional;

/**
 * The response of GetCapacity: the free capacity for new volumes (CSI {@code GetCapacity}, R75).
 *
 * @param availableCapacity the free capacity in bytes
 * @param maximumVolumeSize the largest size of a new volume, in bytes
 * @param minimumVolumeSize the smallest size of a new volume, in bytes; this field is alpha in CSI
 */
public record GetCapacityResponse(
        long availableCapacity, Optional<Long> maximumVolumeSize, Optional<Long> minimumVolumeSize) {
    public GetCapacityResponse {
        Objects.requireNonNull(maximumVolumeSize, "maximumVolumeSize");
        Objects.requireNonNull(minimumVolumeSize, "minimumVolumeSize");
    }
}
