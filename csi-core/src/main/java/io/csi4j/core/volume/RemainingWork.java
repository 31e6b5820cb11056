package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The work that remains before a volume is as its claims and its requested changes say. Operators read it to see why a
 * volume is not ready yet, or not free yet.
 *
 * @param steps the steps that the leading engine can take now, in its order
 * @param waits the steps that it cannot take now, each with the reason
 * @param nextAttempt the first time at which the engine plans again without an event; empty: only an event changes
 *     anything
 */
public record RemainingWork(List<Step> steps, List<Wait> waits, Optional<Instant> nextAttempt) {
    /** Copies the lists. */
    public RemainingWork {
        steps = List.copyOf(steps);
        waits = List.copyOf(waits);
        Objects.requireNonNull(nextAttempt, "nextAttempt");
    }

    /**
     * Returns whether nothing remains.
     *
     * @return true if there is no step to take and nothing to wait for
     */
    public boolean isDone() {
        return steps.isEmpty() && waits.isEmpty();
    }

    /**
     * A step that can be taken now.
     *
     * @param kind the kind of step
     * @param nodeId the node of the step; empty: the step is about the volume itself
     * @param allocationId the claim's allocation; empty: the step is about the attachment, or about the volume itself
     */
    public record Step(Kind kind, Optional<NodeId> nodeId, Optional<AllocationId> allocationId) {
        public Step {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(allocationId, "allocationId");
        }
    }

    /** The kind of a step: a call of a plugin, a request to the host, or a change of the state that needs no call. */
    public enum Kind {
        /** Call CreateVolume. */
        CREATE_VOLUME,
        /** Call DeleteVolume. */
        DELETE_VOLUME,
        /** Call ControllerExpandVolume. */
        EXPAND_VOLUME,
        /** Call ControllerModifyVolume. */
        MODIFY_VOLUME,
        /** Expand the volume on the claim's node by NodeExpandVolume. */
        NODE_EXPAND,
        /** Call ControllerPublishVolume. */
        CONTROLLER_PUBLISH,
        /** Unpublish the volume on the node for the claim, and unstage it after the last claim there. */
        NODE_DETACH,
        /** Call ControllerUnpublishVolume. */
        CONTROLLER_UNPUBLISH,
        /** Ask the host to fence the node. */
        REQUEST_FENCE,
        /** Record that the controller has no part in an expansion: the plugin's controller does not expand. */
        SKIP_CONTROLLER_EXPANSION,
        /** Record the intent to unpublish: nothing is left on the node. */
        BEGIN_CONTROLLER_UNPUBLISH,
        /** Record that the volume is no longer attached to the node. */
        REMOVE_ATTACHMENT,
        /** Record how far the release of the claim has come. */
        CHECKPOINT_CLAIM,
        /** Remove the claim: nothing of it is left anywhere. */
        FREE_CLAIM
    }

    /**
     * A step that cannot be taken now.
     *
     * @param reason the reason
     * @param nodeId the node of the step; empty: the step is about the volume itself
     * @param allocationId the claim's allocation; empty: the step is about the attachment, or about the volume itself
     * @param until the time at which the wait ends; empty: an event ends it
     */
    public record Wait(
            Reason reason, Optional<NodeId> nodeId, Optional<AllocationId> allocationId, Optional<Instant> until) {
        public Wait {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(until, "until");
        }
    }

    /** The reason for a wait. */
    public enum Reason {
        /** A call for the volume has not ended yet. */
        CALL_IN_FLIGHT,
        /** The last attempt failed, and the time of the next attempt has not come. */
        RETRY_LATER,
        /** The state does not have the node. Report the node, or override. */
        NODE_NOT_KNOWN,
        /** The node does not answer, and nothing can be published there before it does. */
        NODE_NOT_READY,
        /** The node does not answer, and the fencing policy waits for the node, for fencing, or for an override. */
        NODE_NOT_CONFIRMED,
        /** The node does not answer. After the grace period it counts as fenced. */
        GRACE_RUNNING,
        /** The host has been asked to fence the node. */
        FENCE_REQUESTED,
        /** The plugin has not reported yet whether its controller attaches volumes. */
        PLUGIN_NOT_KNOWN,
        /** The plugin reports that its controller does not attach, but the volume is attached. Start the former plugin again, or override. */
        PLUGIN_NO_LONGER_ATTACHES,
        /** No healthy instance of the plugin's controller service runs on a node that answers. */
        NO_HEALTHY_CONTROLLER,
        /** The state does not have the provider's id of the node; without it the call would mean all nodes (R66). Override. */
        EXTERNAL_NODE_ID_NOT_KNOWN,
        /** The attachment stays until every claim on the node is detached there (R48). */
        CLAIMS_ON_NODE,
        /** The claim stays until the volume is detached from its node. */
        DETACHING,
        /** The volume is to be deleted, or to be expanded by a plugin that only expands offline (R82), and it is still claimed or attached. */
        IN_USE
    }
}
