package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a controller knows of a volume beyond the volume itself.
 *
 * @param publishedNodeIds where it is published; may name nodes the caller does not know (R71)
 * @param volumeCondition its condition; plugins until CSI 1.12 with VOLUME_CONDITION only
 */
public record ExternalVolumeStatus(List<ExternalNodeId> publishedNodeIds, Optional<VolumeCondition> volumeCondition) {
    /** Checks that all parts are there and copies collections. */
    public ExternalVolumeStatus {
        publishedNodeIds = List.copyOf(publishedNodeIds);
        Objects.requireNonNull(volumeCondition, "volumeCondition");
    }
}
