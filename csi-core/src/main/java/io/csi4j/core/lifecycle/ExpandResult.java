package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The result of a successful expansion. Nodes expand the volume for each claim later and independently; a failure on a node
 * does not change the new size of the volume.
 *
 * @param volume the volume with its new size
 * @param nodes one entry for each claim whose node has to expand the volume; the future never fails, and completes when all
 *     those nodes have answered
 */
public record ExpandResult(Volume volume, CompletableFuture<List<NodePart>> nodes) {
    public ExpandResult {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodes, "nodes");
    }

    /**
     * The result of an expansion on the node of one claim.
     *
     * @param capacityBytes the new size on the node in bytes; 0 if the plugin did not report the size
     * @param error the reason of a failure, for operators; empty if the node expanded the volume
     */
    public record NodePart(AllocationId allocationId, NodeId nodeId, long capacityBytes, Optional<String> error) {
        public NodePart {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(error, "error");
        }
    }
}
