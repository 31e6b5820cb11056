package io.csi4j.core.placement;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.Objects;

/**
 * An allocation that the scheduler's plan places on a node. The allocation is not in the state yet.
 *
 * @param allocationId the allocation
 * @param namespace the allocation's namespace
 * @param nodeId the proposed node
 * @param requests the claim requests; may be empty
 */
public record ProposedPlacement(
        AllocationId allocationId, Namespace namespace, NodeId nodeId, List<ClaimRequest> requests) {
    /** Copies the list, so that later changes of the caller's list have no effect. */
    public ProposedPlacement {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        requests = List.copyOf(requests);
    }
}
