package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of NodeGetInfo: the storage provider's id of the node, the node's limit of volumes and its topology
 * (R93).
 *
 * @param nodeId the storage provider's id of the node
 * @param maxVolumesPerNode the largest number of volumes that can be attached; 0 if the plugin sets no limit
 * @param accessibleTopology the location of the node; empty if the plugin reports none
 */
public record NodeGetInfoResponse(
        ExternalNodeId nodeId, long maxVolumesPerNode, Optional<Topology> accessibleTopology) {
    public NodeGetInfoResponse {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(accessibleTopology, "accessibleTopology");
    }
}
