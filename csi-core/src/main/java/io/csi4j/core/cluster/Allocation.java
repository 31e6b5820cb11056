package io.csi4j.core.cluster;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;

/**
 * One placement of a workload on one node.
 *
 * @param namespace the namespace of the workload
 * @param nodeId the node of the allocation, which never changes
 * @param deployment the plugin deployment that the allocation belongs to; empty if the host did not report one
 * @param status the status that the host last reported
 * @param modifyIndex the index of the last command that changed the allocation
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

    /** Returns whether the allocation has ended. */
    public boolean ended() {
        return status == AllocationStatus.ENDED;
    }
}
