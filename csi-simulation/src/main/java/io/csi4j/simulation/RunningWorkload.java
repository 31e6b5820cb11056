package io.csi4j.simulation;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.List;

/**
 * A workload that has started and not ended.
 *
 * @param allocation its id
 * @param node the node on which it runs, or ran when the node was lost
 * @param claims its mounts
 */
public record RunningWorkload(AllocationId allocation, NodeId node, List<ClaimRequest> claims) {
    public RunningWorkload {
        claims = List.copyOf(claims);
    }
}
