package io.csi4j.core.cluster;

import io.csi4j.core.id.AccountName;
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
 * @param account the account under which the workload runs; empty if the host did not report one
 * @param createIndex the index of the command that added the allocation, which tells it from an earlier allocation with the
 *     same id; 0 if an earlier version of csi4j added it
 * @param modifyIndex the index of the last command that changed the allocation
 */
public record Allocation(
        AllocationId id,
        Namespace namespace,
        NodeId nodeId,
        Optional<DeploymentId> deployment,
        AllocationStatus status,
        Optional<AccountName> account,
        long createIndex,
        long modifyIndex) {
    public Allocation {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(deployment, "deployment");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(account, "account");
    }

    /** Creates an allocation without an account. */
    public Allocation(
            AllocationId id,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            long modifyIndex) {
        this(id, namespace, nodeId, deployment, status, Optional.empty(), 0, modifyIndex);
    }

    /** Returns this allocation with the status ENDED. */
    public Allocation ended(long index) {
        return new Allocation(id, namespace, nodeId, deployment, AllocationStatus.ENDED, account, createIndex, index);
    }

    /** Returns whether the allocation has ended. */
    public boolean ended() {
        return status == AllocationStatus.ENDED;
    }
}
