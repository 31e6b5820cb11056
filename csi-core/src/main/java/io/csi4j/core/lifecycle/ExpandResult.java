package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A volume that grew. What allocations see of it grows later, each by itself: a node that fails takes
 * nothing from the size that was reached.
 *
 * @param volume the volume with its new size
 * @param nodes completes, and never fails, once every claim was seen to; empty list: no node has to do anything
 */
public record ExpandResult(Volume volume, CompletableFuture<List<NodePart>> nodes) {
    /** Checks that both parts are there. */
    public ExpandResult {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodes, "nodes");
    }

    /**
     * What came of the expansion for one claim.
     *
     * @param allocationId whose claim
     * @param nodeId its node
     * @param capacityBytes the size it sees now; 0: not told
     * @param error why it was not expanded, for an operator; empty: it was
     */
    public record NodePart(AllocationId allocationId, NodeId nodeId, long capacityBytes, Optional<String> error) {
        /** Checks that all parts are there. */
        public NodePart {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(error, "error");
        }
    }
}
