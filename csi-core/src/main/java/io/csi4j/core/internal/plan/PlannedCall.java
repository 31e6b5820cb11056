package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.Objects;

/** A call to a plugin, or a request to the host. Its result is recorded later. */
public sealed interface PlannedCall extends PlanAction {
    /** Call CreateVolume: the intent is persisted (R56). */
    record CreateVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createVolume(this);
        }
    }

    /** Call DeleteVolume: the intent is persisted, and the volume is not in use (R49). */
    record DeleteVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deleteVolume(this);
        }
    }

    /** Take the controller's step of an expansion: the intent is persisted (R82). */
    record ExpandVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.expandVolume(this);
        }
    }

    /** Call ControllerModifyVolume: the intent is persisted (R74). */
    record ModifyVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.modifyVolume(this);
        }
    }

    /**
     * Expand the volume on the node of an allocation: the controller's step is done (R83, R94).
     *
     * @param allocationId the allocation
     * @param nodeId the node
     */
    record NodeExpand(AllocationId allocationId, NodeId nodeId) implements PlannedCall {
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
     * Call ControllerPublishVolume: the intent is persisted and a claim needs it (R45).
     *
     * @param nodeId the node
     */
    record ControllerPublish(NodeId nodeId) implements PlannedCall {
        public ControllerPublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.controllerPublish(this);
        }
    }

    /**
     * Unpublish the volume on the node for an allocation, and unstage it after its last use (R47, R91).
     *
     * @param allocationId the allocation
     * @param nodeId the node
     */
    record NodeDetach(AllocationId allocationId, NodeId nodeId) implements PlannedCall {
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
     * Call ControllerUnpublishVolume: the intent is persisted and nothing is left on the node (R48).
     *
     * @param nodeId the node
     */
    record ControllerUnpublish(NodeId nodeId) implements PlannedCall {
        public ControllerUnpublish {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.controllerUnpublish(this);
        }
    }

    /**
     * Ask the host to fence a node; the host answers with a command.
     *
     * @param nodeId the node
     */
    record RequestFence(NodeId nodeId) implements PlannedCall {
        public RequestFence {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.requestFence(this);
        }
    }

    /**
     * One method for each kind of call.
     *
     * @param <R> the type of the results
     */
    interface Cases<R> {
        R createVolume(CreateVolume call);

        R deleteVolume(DeleteVolume call);

        R expandVolume(ExpandVolume call);

        R modifyVolume(ModifyVolume call);

        R nodeExpand(NodeExpand call);

        R controllerPublish(ControllerPublish call);

        R nodeDetach(NodeDetach call);

        R controllerUnpublish(ControllerUnpublish call);

        R requestFence(RequestFence call);
    }

    /** Calls the method for this kind of call. */
    <R> R accept(Cases<R> cases);
}
