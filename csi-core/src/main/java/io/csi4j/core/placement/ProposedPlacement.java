package io.csi4j.core.placement;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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

    /**
     * Returns the command that places the allocation and takes its claims in one transaction. It takes volumes that can
     * be claimed now, even if other claims wait for them. A scheduler that must not starve waiting claims checks
     * {@link io.csi4j.core.lifecycle.VolumeStatus#waiting()} first, or reports the allocation alone and lets it wait
     * for its claims in the queue.
     *
     * <p>If a volume has to be made from its template, the command begins all such volumes and takes no claim yet. They
     * count for quotas and for the limit of the node; the allocation then claims as usual, and the claim waits until they
     * are made. A volume that no claim takes within ten minutes is deleted.
     *
     * @param at the time of the command
     * @return a command for {@link io.csi4j.core.lifecycle.VolumeLifecycle#log()}; rejected as a whole if one claim
     *     cannot be taken
     * @throws IllegalArgumentException if there is no request
     */
    public Command reservation(Instant at) {
        return new Batch(
                List.of(
                        new AllocationCommand.UpsertAllocation(
                                allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING, at),
                        new ClaimCommand.TakeClaims(allocationId, ClaimRequest.merged(requests), at)),
                at);
    }
}
