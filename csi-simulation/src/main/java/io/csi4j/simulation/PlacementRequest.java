package io.csi4j.simulation;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A workload that needs a node.
 *
 * @param allocation the id of the workload
 * @param namespace the namespace of the workload and its volumes
 * @param claims the volumes that it will claim on the node
 * @param random random numbers that the seed decides
 */
public record PlacementRequest(
        AllocationId allocation, Namespace namespace, List<ClaimRequest> claims, RandomGenerator random) {
    public PlacementRequest {
        claims = List.copyOf(claims);
    }
}
