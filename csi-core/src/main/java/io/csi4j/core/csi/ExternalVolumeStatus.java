package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The status of a volume as its controller reports it.
 *
 * @param publishedNodeIds the nodes to which the volume is published; may contain nodes of other clusters (R71)
 * @param volumeCondition the volume's condition; only up to CSI 1.12, from plugins with the capability VOLUME_CONDITION
 */
public record ExternalVolumeStatus(List<ExternalNodeId> publishedNodeIds, Optional<VolumeCondition> volumeCondition) {
    public ExternalVolumeStatus {
        publishedNodeIds = List.copyOf(publishedNodeIds);
        Objects.requireNonNull(volumeCondition, "volumeCondition");
    }
}
