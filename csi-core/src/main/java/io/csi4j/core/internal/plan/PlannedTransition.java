package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import java.util.Objects;

/** A fact to write down: nobody has to be asked for it. */
public sealed interface PlannedTransition extends PlanAction {
    /**
     * Write down that the controller has no step in an expansion: the plugin's controller expands nothing, by its word
     * (R42).
     */
    record SkipControllerExpansion() implements PlannedTransition {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.skipControllerExpansion(this);
        }
    }

    /**
     * Write the intent to detach: nothing is left on the node.
     *
     * @param nodeId the node
     */
    record BeginControllerUnpublish(NodeId nodeId) implements PlannedTransition {
        /** Checks that all parts are there. */
        public BeginControllerUnpublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.beginControllerUnpublish(this);
        }
    }

    /**
     * Write down that the volume is detached.
     *
     * @param nodeId the node
     * @param grounds on what fact
     */
    record RemoveAttachment(NodeId nodeId, TransitionReason grounds) implements PlannedTransition {
        /** Checks that all parts are there. */
        public RemoveAttachment {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(grounds, "grounds");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeAttachment(this);
        }
    }

    /**
     * Write down how far a claim has come.
     *
     * @param allocationId the claimant
     * @param state how far the claim has come
     * @param grounds on what fact
     */
    record CheckpointClaim(AllocationId allocationId, ClaimState state, TransitionReason grounds)
            implements PlannedTransition {
        /** Checks that all parts are there. */
        public CheckpointClaim {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(grounds, "grounds");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.checkpointClaim(this);
        }
    }

    /**
     * Remove a claim: nothing is left of it anywhere.
     *
     * @param allocationId the claimant
     */
    record FreeClaim(AllocationId allocationId) implements PlannedTransition {
        /** Checks that all parts are there. */
        public FreeClaim {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.freeClaim(this);
        }
    }

    /**
     * One method for each fact, so that none can be forgotten.
     *
     * @param <R> what is made of a fact
     */
    interface Cases<R> {
        /**
         * The case of a {@link SkipControllerExpansion}.
         *
         * @param fact the fact
         * @return whatever is made of it
         */
        R skipControllerExpansion(SkipControllerExpansion fact);

        /**
         * The case of a {@link BeginControllerUnpublish}.
         *
         * @param fact the fact
         * @return whatever is made of it
         */
        R beginControllerUnpublish(BeginControllerUnpublish fact);

        /**
         * The case of a {@link RemoveAttachment}.
         *
         * @param fact the fact
         * @return whatever is made of it
         */
        R removeAttachment(RemoveAttachment fact);

        /**
         * The case of a {@link CheckpointClaim}.
         *
         * @param fact the fact
         * @return whatever is made of it
         */
        R checkpointClaim(CheckpointClaim fact);

        /**
         * The case of a {@link FreeClaim}.
         *
         * @param fact the fact
         * @return whatever is made of it
         */
        R freeClaim(FreeClaim fact);
    }

    /**
     * Hands the fact to its case.
     *
     * @param cases what there is for each case
     * @param <R> what is made of it
     * @return what was made of it
     */
    <R> R accept(Cases<R> cases);
}
