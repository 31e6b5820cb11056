package io.csi4j.core.internal.command;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** Commands that record the allocations of the host. */
public sealed interface AllocationCommand extends Command {
    /**
     * Records the status of an allocation. When the allocation has ended, its claims become releasable in the same
     * transaction.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node where the allocation is placed
     * @param deployment the deployment of the allocation; empty if the host did not report one
     * @param status the status that the host reports
     * @param account the account under which the workload runs; empty if the host did not report one
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpsertAllocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            Optional<AccountName> account,
            Instant at)
            implements AllocationCommand {
        public UpsertAllocation {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(namespace, "namespace");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(deployment, "deployment");
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(account, "account");
            Objects.requireNonNull(at, "at");
        }

        /** Creates a command that reports no account. */
        public UpsertAllocation(
                AllocationId allocationId,
                Namespace namespace,
                NodeId nodeId,
                Optional<DeploymentId> deployment,
                AllocationStatus status,
                Instant at) {
            this(allocationId, namespace, nodeId, deployment, status, Optional.empty(), at);
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.upsertAllocation(this);
        }
    }

    /**
     * Removes an allocation that has ended.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveAllocation(AllocationId allocationId, Instant at) implements AllocationCommand {
        public RemoveAllocation {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeAllocation(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R upsertAllocation(UpsertAllocation command);

        R removeAllocation(RemoveAllocation command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
