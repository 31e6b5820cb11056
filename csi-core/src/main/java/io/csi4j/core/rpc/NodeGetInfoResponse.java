package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import java.util.Objects;
import java.util.Optional;

/**
 * The response of NodeGetInfo: the provider's id of the node, its limit and its topology (R93).
 *
 * @param nodeId the provider's id of this node
 * @param maxVolumesPerNode the most volumes that can be attached; 0 for the caller's choice
 * @param accessibleTopology where the node is; absent where the provider does not restrict it
 */
public record NodeGetInfoResponse(
        ExternalNodeId nodeId, long maxVolumesPerNode, Optional<Topology> accessibleTopology) {
    public NodeGetInfoResponse {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(accessibleTopology, "accessibleTopology");
    }
}
