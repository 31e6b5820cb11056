package io.csi4j.core.placement;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.Objects;

/**
 * An allocation that a scheduler is about to place, in the same plan, before it is asked about others.
 *
 * @param allocationId the allocation
 * @param namespace the allocation's namespace
 * @param nodeId where it is to be placed
 * @param requests what it will claim; possibly nothing
 */
public record ProposedPlacement(
        AllocationId allocationId, Namespace namespace, NodeId nodeId, List<ClaimRequest> requests) {
    /** Copies the list. */
    public ProposedPlacement {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        requests = List.copyOf(requests);
    }
}
