package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import java.util.Objects;

/** A transition to record, which needs no call. */
public sealed interface PlannedTransition extends PlanAction {
    /**
     * Record that the controller has no step in an expansion: the plugin reports that its controller does not expand (R42).
     */
    record SkipControllerExpansion() implements PlannedTransition {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.skipControllerExpansion(this);
        }
    }

    /**
     * Record the intent to detach: nothing is left on the node.
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
     * Record that the volume is detached.
     *
     * @param nodeId the node
     * @param reason the reason
     */
    record RemoveAttachment(NodeId nodeId, TransitionReason reason) implements PlannedTransition {
        public RemoveAttachment {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(reason, "grounds");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeAttachment(this);
        }
    }

    /**
     * Record the progress of a claim.
     *
     * @param allocationId the allocation
     * @param state the new state of the claim
     * @param reason the reason
     */
    record CheckpointClaim(AllocationId allocationId, ClaimState state, TransitionReason reason)
            implements PlannedTransition {
        public CheckpointClaim {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(reason, "grounds");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.checkpointClaim(this);
        }
    }

    /**
     * Remove a claim: nothing of it is left anywhere.
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
     * One method for each kind of transition.
     *
     * @param <R> the type of the results
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
