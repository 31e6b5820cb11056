package io.csi4j.core.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import java.util.Objects;

/** One thing to do for a volume: a call, or a fact to write down. */
public sealed interface PlanAction {
    /**
     * Ask the provider to create the volume: the intent is written (R56).
     */
    record CreateVolume() implements PlanAction {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createVolume(this);
        }
    }

    /**
     * Ask the provider to delete the volume: the intent is written, and nobody uses it (R49).
     */
    record DeleteVolume() implements PlanAction {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deleteVolume(this);
        }
    }

    /**
     * Take the controller's step of an expansion: the intent is written (R82).
     */
    record ExpandVolume() implements PlanAction {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.expandVolume(this);
        }
    }

    /**
     * Write down that the controller has no step in an expansion: the plugin's controller expands nothing, by its word
     * (R42).
     */
    record SkipControllerExpansion() implements PlanAction {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.skipControllerExpansion(this);
        }
    }

    /**
     * Call ControllerModifyVolume: the intent is written (R74).
     */
    record ModifyVolume() implements PlanAction {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.modifyVolume(this);
        }
    }

    /**
     * Have the node expand the volume for an allocation: the controller's step is done (R83, R94).
     *
     * @param allocationId who uses it
     * @param nodeId the node
     */
    record NodeExpand(AllocationId allocationId, NodeId nodeId) implements PlanAction {
        /** Checks that all parts are there. */
        public NodeExpand {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.nodeExpand(this);
        }
    }

    /**
     * Call ControllerPublishVolume: the intent is written and a claim needs it (R45).
     *
     * @param nodeId the node
     */
    record ControllerPublish(NodeId nodeId) implements PlanAction {
        /** Checks that all parts are there. */
        public ControllerPublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.controllerPublish(this);
        }
    }

    /**
     * Have the node unpublish the volume for an allocation, and unstage it after its last user (R47, R91).
     *
     * @param allocationId whose use of the volume ends
     * @param nodeId the node
     */
    record NodeDetach(AllocationId allocationId, NodeId nodeId) implements PlanAction {
        /** Checks that all parts are there. */
        public NodeDetach {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.nodeDetach(this);
        }
    }

    /**
     * Write the intent to detach: nothing is left on the node (I5).
     *
     * @param nodeId the node
     */
    record BeginControllerUnpublish(NodeId nodeId) implements PlanAction {
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
     * Call ControllerUnpublishVolume: the intent is written and nothing is left on the node (R48).
     *
     * @param nodeId the node
     */
    record ControllerUnpublish(NodeId nodeId) implements PlanAction {
        /** Checks that all parts are there. */
        public ControllerUnpublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.controllerUnpublish(this);
        }
    }

    /**
     * Write down that the volume is detached.
     *
     * @param nodeId the node
     * @param grounds on what fact
     */
    record RemoveAttachment(NodeId nodeId, Grounds grounds) implements PlanAction {
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
    record CheckpointClaim(AllocationId allocationId, ClaimState state, Grounds grounds) implements PlanAction {
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
    record FreeClaim(AllocationId allocationId) implements PlanAction {
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
     * Ask the host to fence a node; it answers with a command.
     *
     * @param nodeId the node
     */
    record RequestFence(NodeId nodeId) implements PlanAction {
        /** Checks that all parts are there. */
        public RequestFence {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.requestFence(this);
        }
    }

    /**
     * One method for each action, so that none can be forgotten.
     *
     * @param <R> what is made of an action
     */
    interface Cases<R> {
        /**
         * The case of a {@link CreateVolume}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R createVolume(CreateVolume action);

        /**
         * The case of a {@link DeleteVolume}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R deleteVolume(DeleteVolume action);

        /**
         * The case of an {@link ExpandVolume}.
         *
         * @param action the action
         * @return whatever the performer makes of it
         */
        R expandVolume(ExpandVolume action);

        /**
         * The case of a {@link SkipControllerExpansion}.
         *
         * @param action the action
         * @return whatever the performer makes of it
         */
        R skipControllerExpansion(SkipControllerExpansion action);

        /**
         * The case of a {@link ModifyVolume}.
         *
         * @param action the action
         * @return whatever the performer makes of it
         */
        R modifyVolume(ModifyVolume action);

        /**
         * The case of a {@link NodeExpand}.
         *
         * @param action the action
         * @return whatever the performer makes of it
         */
        R nodeExpand(NodeExpand action);

        /**
         * The case of a {@link ControllerPublish}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R controllerPublish(ControllerPublish action);

        /**
         * The case of a {@link NodeDetach}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R nodeDetach(NodeDetach action);

        /**
         * The case of a {@link BeginControllerUnpublish}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R beginControllerUnpublish(BeginControllerUnpublish action);

        /**
         * The case of a {@link ControllerUnpublish}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R controllerUnpublish(ControllerUnpublish action);

        /**
         * The case of a {@link RemoveAttachment}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R removeAttachment(RemoveAttachment action);

        /**
         * The case of a {@link CheckpointClaim}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R checkpointClaim(CheckpointClaim action);

        /**
         * The case of a {@link FreeClaim}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R freeClaim(FreeClaim action);

        /**
         * The case of a {@link RequestFence}.
         *
         * @param action the action
         * @return whatever is made of it
         */
        R requestFence(RequestFence action);
    }

    /**
     * Hands the action to its case.
     *
     * @param cases what there is for each case
     * @param <R> what is made of it
     * @return what was made of it
     */
    <R> R accept(Cases<R> cases);
}
