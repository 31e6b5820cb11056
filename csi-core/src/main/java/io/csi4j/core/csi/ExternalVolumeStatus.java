package io.csi4j.core.csi;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The status of a volume as its controller reports it.
 *
 * @param publishedNodeIds the nodes to which the volume is published; may contain nodes that the caller does not know (R71)
 * @param volumeCondition the volume's condition; only before CSI 1.13, from plugins with VOLUME_CONDITION
 */
public record ExternalVolumeStatus(List<ExternalNodeId> publishedNodeIds, Optional<VolumeCondition> volumeCondition) {
    public ExternalVolumeStatus {
        publishedNodeIds = List.copyOf(publishedNodeIds);
        Objects.requireNonNull(volumeCondition, "volumeCondition");
    }
}
