package io.csi4j.core.plugin;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of a plugin instance to NodeGetInfo (R93).
 *
 * @param externalNodeId the storage provider's id of the node
 * @param maxVolumesPerNode the maximum number of the plugin's volumes on the node; 0 for no limit
 * @param accessibleTopology the topology of the node; empty if the plugin reported none: then only volumes without a
 *     topology can be used on the node
 */
public record NodeInfo(ExternalNodeId externalNodeId, long maxVolumesPerNode, Optional<Topology> accessibleTopology) {
    /** @throws IllegalArgumentException if the limit is negative */
    public NodeInfo {
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(accessibleTopology, "accessibleTopology");
        if (maxVolumesPerNode < 0) {
            throw new IllegalArgumentException(
                    "NodeInfo: maxVolumesPerNode is " + maxVolumesPerNode + "; use 0 if the plugin reports no limit");
        }
    }
}
