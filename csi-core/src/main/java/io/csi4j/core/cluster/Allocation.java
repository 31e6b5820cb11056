package io.csi4j.core.cluster;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;

/**
 * One placed instance of a workload on one node.
 *
 * @param namespace the namespace of its workload
 * @param nodeId where it is placed; never changes
 * @param deployment what it belongs to; empty: not told
 * @param status what is known about it
 * @param modifyIndex the index of the last command that changed it
 */
public record Allocation(
        AllocationId id,
        Namespace namespace,
        NodeId nodeId,
        Optional<DeploymentId> deployment,
        AllocationStatus status,
        long modifyIndex) {
    public Allocation {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(deployment, "deployment");
        Objects.requireNonNull(status, "status");
    }

    /**
     * Whether it has ended.
     *
     * @return true for ENDED only
     */
    public boolean ended() {
        return status == AllocationStatus.ENDED;
    }
}
