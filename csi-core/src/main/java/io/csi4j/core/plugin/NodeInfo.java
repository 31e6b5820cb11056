package io.csi4j.core.plugin;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import java.util.Objects;
import java.util.Optional;

/**
 * What NodeGetInfo answered (R93).
 *
 * @param externalNodeId the provider's id of the node
 * @param maxVolumesPerNode how many volumes of the plugin the node can take; 0: no limit told
 * @param accessibleTopology where the node is; empty: not told, and then only volumes without topology
 *     may be placed there
 */
public record NodeInfo(ExternalNodeId externalNodeId, long maxVolumesPerNode, Optional<Topology> accessibleTopology) {
    /** @throws IllegalArgumentException if the limit is negative */
    public NodeInfo {
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(accessibleTopology, "accessibleTopology");
        if (maxVolumesPerNode < 0) {
            throw new IllegalArgumentException(
                    "NodeInfo: maxVolumesPerNode is " + maxVolumesPerNode + "; use 0 where the plugin tells no limit");
        }
    }
}
