package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The work that remains until the volume is in the condition that its claims and requested changes require. It shows an
 * operator why a volume cannot be used yet, or is still in use.
 *
 * @param steps the steps that the leading engine can take now, without waiting for each other: first the changes of the
 *     state, then the calls, the most urgent first
 * @param waits the steps that it cannot take now, each with the reason
 * @param nextAttempt the time at which the engine plans again if nothing happens before; empty if only an event can
 *     change the plan
 */
public record RemainingWork(List<Step> steps, List<Wait> waits, Optional<Instant> nextAttempt) {
    /** Copies the lists, so that later changes of the caller's lists have no effect. */
    public RemainingWork {
        steps = List.copyOf(steps);
        waits = List.copyOf(waits);
        Objects.requireNonNull(nextAttempt, "nextAttempt");
    }

    /**
     * Returns whether the volume has no remaining work.
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
     * @param nodeId the node of the step; empty if the step is about the volume itself
     * @param allocationId the claim's allocation; empty if the step is about the attachment, or about the volume itself
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
        /** Call ValidateVolumeCapabilities, to learn whether the storage provider has the volume after a restore. */
        VERIFY_VOLUME,
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
        /** Unmount the volume on the node for the claim, and unstage it if no other claim uses it there. */
        NODE_DETACH,
        /** Call ControllerUnpublishVolume. */
        CONTROLLER_UNPUBLISH,
        /** Ask the host to fence the node. */
        REQUEST_FENCE,
        /**
         * Record that the controller has no part in an expansion, because the plugin's controller does not expand
         * volumes.
         */
        SKIP_CONTROLLER_EXPANSION,
        /** Record the intent to detach the volume from the node, where it is no longer mounted or staged. */
        BEGIN_CONTROLLER_UNPUBLISH,
        /** Record that the volume is no longer attached to the node. */
        REMOVE_ATTACHMENT,
        /** Record the progress of the claim's release. */
        CHECKPOINT_CLAIM,
        /** Remove the claim, because its release is complete. */
        FREE_CLAIM,
        /** Give up the volume, because it was made for a claim and no claim has taken it for ten minutes. */
        DISCARD_UNUSED
    }

    /**
     * A step that cannot be taken now.
     *
     * @param reason the reason
     * @param nodeId the node of the step; empty if the step is about the volume itself
     * @param allocationId the claim's allocation; empty if the step is about the attachment, or about the volume itself
     * @param until the time at which the wait ends; empty if an event ends it
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
        /** The volume was made for a claim, which has not taken it yet. */
        UNUSED,
        /** A call for the volume has not ended yet. */
        CALL_IN_FLIGHT,
        /** The last attempt failed, and its backoff has not ended. */
        RETRY_LATER,
        /** The node is not known. The host has to report the node, or an operator has to override the step. */
        NODE_NOT_KNOWN,
        /** The node does not answer, so nothing can be mounted or published there. */
        NODE_NOT_READY,
        /**
         * The node does not answer. By the fencing policy, the engine waits until the node answers or is fenced, or an
         * operator overrides the step.
         */
        NODE_NOT_CONFIRMED,
        /** The node does not answer. After the grace period it counts as fenced. */
        GRACE_RUNNING,
        /** The host has been asked to fence the node. */
        FENCE_REQUESTED,
        /**
         * The plugin now reports another external id for the node: the machine was replaced, or the plugin renamed it.
         * Nothing that the present machine answers is proof for the former one. The engine waits until the former id is
         * reported again, or an operator says whether the former machine is lost or was renamed.
         */
        NODE_REPLACED,
        /** The plugin has not reported yet whether its controller attaches volumes. */
        PLUGIN_NOT_KNOWN,
        /**
         * The plugin reports that its controller does not attach volumes, but the volume is attached, and no healthy
         * instance offers to detach it. The former version of the plugin has to be started again, or an operator has to
         * override the attachment.
         */
        PLUGIN_NO_LONGER_ATTACHES,
        /**
         * No healthy instance of the plugin's controller service that offers the call runs on a node that answers. An
         * instance with another provider name does not count.
         */
        NO_HEALTHY_CONTROLLER,
        /**
         * The plugin's instance on the node reports another provider name than the one that the plugin's volumes belong
         * to, so it is not called. The right driver has to be started there, or an operator has to say which name is
         * right.
         */
        PROVIDER_CONFLICT,
        /**
         * The state does not have the storage provider's id of the node. A call without the id would detach the volume
         * from all nodes (R66). So an operator has to confirm by an override that the volume is detached.
         */
        EXTERNAL_NODE_ID_NOT_KNOWN,
        /** The volume stays attached to the node while claims on the node still have it mounted (R48). */
        CLAIMS_ON_NODE,
        /**
         * A node may use the volume without a claim of the state: it has not reported its ledger since the state was
         * restored, or its ledger names the volume and no claim represents that. The volume is not detached from the
         * node, and not deleted.
         */
        LEDGER_NOT_KNOWN,
        /** The claim is kept until the volume has been detached from the claim's node. */
        DETACHING,
        /**
         * The volume is still claimed or attached. A deletion, or an expansion by a plugin that expands only offline
         * (R82), waits until all claims and attachments have ended. So does an attachment to this node while another
         * node reports that it has the volume mounted.
         */
        IN_USE,
        /**
         * Another volume is being created from this one. A deletion waits until that creation has ended or was withdrawn.
         */
        SOURCE_IN_USE,
        /**
         * The state was restored while the volume was being created. It may have been made, used and deleted since, so its
         * creation continues only when it is requested again.
         */
        CREATION_NOT_REQUESTED,
        /**
         * The state was restored, and the storage provider does not have the volume. An operator has to delete or forget it.
         */
        VOLUME_LOST
    }
}
