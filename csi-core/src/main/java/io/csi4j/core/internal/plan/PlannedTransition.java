package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import java.util.Objects;

/** A change of the state that follows from known facts and needs no call. */
public sealed interface PlannedTransition extends PlanAction {
    /**
     * Record that the controller has no part in an expansion, because the plugin reports that its controller does not
     * expand volumes (R42).
     */
    record SkipControllerExpansion() implements PlannedTransition {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.skipControllerExpansion(this);
        }
    }

    /**
     * Record the intent to detach the volume from a node. The volume is no longer mounted or staged there.
     *
     * @param nodeId the node
     */
    record BeginControllerUnpublish(NodeId nodeId) implements PlannedTransition {
        public BeginControllerUnpublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginControllerUnpublish(this);
        }
    }

    /**
     * Record that the volume is detached from a node.
     *
     * @param nodeId the node
     * @param reason the reason why no call is needed
     */
    record RemoveAttachment(NodeId nodeId, TransitionReason reason) implements PlannedTransition {
        public RemoveAttachment {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeAttachment(this);
        }
    }

    /**
     * Record the next state of a claim, with which its release begins or continues.
     *
     * @param allocationId the allocation
     * @param state the new state of the claim
     * @param reason the reason why no call is needed
     */
    record CheckpointClaim(AllocationId allocationId, ClaimState state, TransitionReason reason)
            implements PlannedTransition {
        public CheckpointClaim {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(reason, "reason");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.checkpointClaim(this);
        }
    }

    /**
     * Remove a claim whose release is complete.
     *
     * @param allocationId the allocation
     */
    record FreeClaim(AllocationId allocationId) implements PlannedTransition {
        public FreeClaim {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.freeClaim(this);
        }
    }

    /**
     * Has one method for each kind of transition.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R skipControllerExpansion(SkipControllerExpansion fact);

        R beginControllerUnpublish(BeginControllerUnpublish fact);

        R removeAttachment(RemoveAttachment fact);

        R checkpointClaim(CheckpointClaim fact);

        R freeClaim(FreeClaim fact);
    }

    /** Calls the method for this kind of transition. */
    <R> R accept(Cases<R> cases);
}
