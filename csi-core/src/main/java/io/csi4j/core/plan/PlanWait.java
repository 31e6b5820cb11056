package io.csi4j.core.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Something that would have to be done for a volume, and cannot be now.
 *
 * @param reason what it waits for
 * @param nodeId the node it is about; empty: the volume itself
 * @param allocationId the claimant it is about; empty: the attachment, or the volume itself
 * @param until when it is over; empty: no time ends it, an event does
 */
public record PlanWait(
        Reason reason, Optional<NodeId> nodeId, Optional<AllocationId> allocationId, Optional<Instant> until) {
    /** Checks that all parts are there. */
    public PlanWait {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(until, "until");
    }

    /** What is waited for. */
    public enum Reason {
        /** A call for the volume has not ended yet. */
        CALL_UNDER_WAY,
        /** The last attempt failed; its time for the next one has not come. */
        RETRY_LATER,
        /** The host never told of the node; tell of it, or override. */
        NODE_NOT_KNOWN,
        /** The node does not answer, and nothing can be published there before it does. */
        NODE_NOT_READY,
        /** The node does not answer, and the fencing policy is to wait: for the node, for fencing, or for an override. */
        NODE_NOT_CONFIRMED,
        /** The node does not answer; after the grace period it counts as fenced. */
        GRACE_RUNNING,
        /** The host was asked to fence the node. */
        FENCE_REQUESTED,
        /** The plugin never told whether its controller attaches; that is not the same as "no" (I8). */
        PLUGIN_NOT_KNOWN,
        /** The plugin says that its controller does not attach, but the volume is attached; bring the former plugin back, or override. */
        PLUGIN_ATTACHES_NO_MORE,
        /** No healthy instance of the plugin's controller service is on a node that answers. */
        NO_HEALTHY_CONTROLLER,
        /** The provider's id of the node is not on record; without it the call would mean all nodes (R66). Override. */
        EXTERNAL_NODE_ID_NOT_KNOWN,
        /** The attachment stays until every claim on the node is detached there (R48). */
        CLAIMS_ON_NODE,
        /** The claim stays until the volume is detached from its node. */
        DETACHING,
        /** The volume is to be deleted, or to be expanded by a plugin that only does so offline (R82), and it is still claimed or attached. */
        IN_USE
    }
}
