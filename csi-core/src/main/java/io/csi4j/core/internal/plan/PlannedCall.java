package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.Objects;

/** A call to a plugin, or a request to the host. Its result is recorded later. */
public sealed interface PlannedCall extends PlanAction {
    /** Call CreateVolume. The state already has the intent to create the volume (R56). */
    record CreateVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.createVolume(this);
        }
    }

    /** Call DeleteVolume. The state already has the intent to delete the volume, and the volume is not in use (R49). */
    record DeleteVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deleteVolume(this);
        }
    }

    /** Call ControllerExpandVolume. The state already has the request to expand the volume (R82). */
    record ExpandVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.expandVolume(this);
        }
    }

    /** Call ControllerModifyVolume. The state already has the request to modify the volume (R74). */
    record ModifyVolume() implements PlannedCall {
        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.modifyVolume(this);
        }
    }

    /**
     * Expand the volume on the node of an allocation. The controller has already done its part of the expansion (R83,
     * R94).
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
     * Call ControllerPublishVolume for a node. The state already has the intent to publish the volume there, and a
     * claim on the node needs the volume (R45).
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
     * Unmount the volume on a node for an allocation, and unstage it if no other allocation uses it there (R47, R91).
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
     * Call ControllerUnpublishVolume for a node. The state already has the intent to unpublish the volume there, and
     * the volume is no longer mounted or staged on the node (R48).
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
     * Ask the host to fence a node. Once the host has fenced the node, it reports this by a command.
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
     * Has one method for each kind of call.
     *
     * @param <R> the result type of the methods
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
