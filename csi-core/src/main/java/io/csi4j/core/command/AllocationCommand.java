package io.csi4j.core.command;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/** About the allocations of the host. */
public sealed interface AllocationCommand extends Command {
    /**
     * What is known about an allocation. When it has ended, its claims become releasable in the same transaction
     * (S30).
     *
     * @param namespace the namespace of its workload
     * @param nodeId where it is placed
     * @param deployment what it belongs to; empty: not told
     * @param status what is known about it
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpsertAllocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            Instant at)
            implements AllocationCommand {
        public UpsertAllocation {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(namespace, "namespace");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(deployment, "deployment");
            Objects.requireNonNull(status, "status");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.upsertAllocation(this);
        }
    }

    /**
     * The host forgets an allocation: it has ended.
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
     * Has one method for each type of command; a class that implements it cannot omit a type.
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
