package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.Objects;

/** Something to ask of somebody else: a plugin, or the host. What comes of it is written down later. */
public sealed interface PlannedCall extends PlanAction {
    /**
     * Ask the provider to create the volume: the intent is written (R56).
     */
    record CreateVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createVolume(this);
        }
    }

    /**
     * Ask the provider to delete the volume: the intent is written, and nobody uses it (R49).
     */
    record DeleteVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deleteVolume(this);
        }
    }

    /**
     * Take the controller's step of an expansion: the intent is written (R82).
     */
    record ExpandVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.expandVolume(this);
        }
    }

    /**
     * Call ControllerModifyVolume: the intent is written (R74).
     */
    record ModifyVolume() implements PlannedCall {
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
    record NodeExpand(AllocationId allocationId, NodeId nodeId) implements PlannedCall {
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
    record ControllerPublish(NodeId nodeId) implements PlannedCall {
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
    record NodeDetach(AllocationId allocationId, NodeId nodeId) implements PlannedCall {
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
     * Call ControllerUnpublishVolume: the intent is written and nothing is left on the node (R48).
     *
     * @param nodeId the node
     */
    record ControllerUnpublish(NodeId nodeId) implements PlannedCall {
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
     * Ask the host to fence a node; it answers with a command.
     *
     * @param nodeId the node
     */
    record RequestFence(NodeId nodeId) implements PlannedCall {
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
     * One method for each call, so that none can be forgotten.
     *
     * @param <R> what is made of a call
     */
    interface Cases<R> {
        /**
         * The case of a {@link CreateVolume}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R createVolume(CreateVolume call);

        /**
         * The case of a {@link DeleteVolume}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R deleteVolume(DeleteVolume call);

        /**
         * The case of an {@link ExpandVolume}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R expandVolume(ExpandVolume call);

        /**
         * The case of a {@link ModifyVolume}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R modifyVolume(ModifyVolume call);

        /**
         * The case of a {@link NodeExpand}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R nodeExpand(NodeExpand call);

        /**
         * The case of a {@link ControllerPublish}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R controllerPublish(ControllerPublish call);

        /**
         * The case of a {@link NodeDetach}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R nodeDetach(NodeDetach call);

        /**
         * The case of a {@link ControllerUnpublish}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R controllerUnpublish(ControllerUnpublish call);

        /**
         * The case of a {@link RequestFence}.
         *
         * @param call the call
         * @return whatever is made of it
         */
        R requestFence(RequestFence call);
    }

    /**
     * Hands the call to its case.
     *
     * @param cases what there is for each case
     * @param <R> what is made of it
     * @return what was made of it
     */
    <R> R accept(Cases<R> cases);
}
