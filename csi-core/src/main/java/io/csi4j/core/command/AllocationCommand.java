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
     * What is known about an allocation. When it has ended, its claims become releasable in the same
     * transaction (S30).
     *
     * @param allocationId the allocation
     * @param namespace the namespace of its workload
     * @param nodeId where it is placed
     * @param deployment what it belongs to; empty: not told
     * @param status what is known about it
     * @param at when, by the clock of whoever proposes it
     */
    record UpsertAllocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            Instant at)
            implements AllocationCommand {
        /** Checks that all parts are there. */
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
     * @param allocationId the allocation
     * @param at when, by the clock of whoever proposes it
     */
    record RemoveAllocation(AllocationId allocationId, Instant at) implements AllocationCommand {
        /** Checks that all parts are there. */
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
     * One method for each of these commands, so that none can be forgotten.
     *
     * @param <R> what a handler makes of a command
     */
    interface Cases<R> {
        /**
         * The case of an {@link UpsertAllocation}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R upsertAllocation(UpsertAllocation command);

        /**
         * The case of a {@link RemoveAllocation}.
         *
         * @param command the command
         * @return whatever the handler makes of it
         */
        R removeAllocation(RemoveAllocation command);
    }

    /**
     * Hands the command to its case.
     *
     * @param cases the handler
     * @param <R> what the handler makes of it
     * @return what the handler made of it
     */
    <R> R accept(Cases<R> cases);
}
