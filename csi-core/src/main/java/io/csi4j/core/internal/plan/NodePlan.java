package io.csi4j.core.internal.plan;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RemainingWork.Kind;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Plans the steps for one volume on one node: for the volume's claims on the node, and for its attachment to the node.
 * When a claim is released, the node unmounts the volume before the controller unpublishes it (R48).
 */
final class NodePlan {
    private final Volume volume;
    private final PlanFacts facts;
    private final NodeId nodeId;
    private final PlanDraft draft;
    private final Claims claims;
    private final Optional<Attachment> attachment;
    private final Optional<Node> node;
    /** Whether this plan has a call to the node. */
    private boolean callsNode;

    NodePlan(Volume volume, PlanFacts facts, NodeId nodeId, PlanDraft draft) {
        this.volume = volume;
        this.facts = facts;
        this.nodeId = nodeId;
        this.draft = draft;
        this.claims = volume.claims().on(nodeId);
        this.attachment = volume.attachments().on(nodeId);
        this.node = facts.node(nodeId);
    }

    /**
     * Returns whether the volume's fencing policy may end claims of running allocations because their node is
     * unreachable.
     */
    static boolean mayEndWithTheirNodes(Volume volume, PlanFacts facts) {
        return !(facts.fencingPolicy(volume) instanceof FencingPolicy.WaitForConfirmation)
                && volume.claims().nodeIds().stream().map(facts::node).anyMatch(NodePlan::outOfReach);
    }

    private static boolean outOfReach(Optional<Node> node) {
        return node.map(Node::status)
                .filter(status -> status == NodeStatus.DISCONNECTED || status == NodeStatus.DOWN)
                .isPresent();
    }

    void draw() {
        boolean attached = attachment.isEmpty() || attachment.get().state() == AttachmentState.PUBLISHED;
        if (attached
                && allTaken()
                && !claims.isEmpty()
                && !facts.sweep()
                && !outOfReach(node)
                && volume.expansion().isEmpty()) {
            return;
        }
        for (Claim claim : claims) {
            switch (claim.state()) {
                case TAKEN -> taken(claim);
                case UNPUBLISHING -> unpublishing(claim);
                case NODE_DETACHED -> nodeDetached(claim);
                case READY_TO_FREE -> readyToFree(claim);
            }
        }
        attachment.ifPresent(this::attachment);
        if (attached) {
            volume.expansion().ifPresent(this::expansion);
        }
    }

    /** Plans the expansion of the volume on the node (R83). It is planned last, because a release is more urgent. */
    private void expansion(Expansion expansion) {
        for (Claim claim : claims) {
            boolean ended = isLost(claim) || (facts.sweep() && facts.ended(claim));
            if (expansion.dueFor(claim) && !ended) {
                nodeExpand(
                        claim, expansion.of(claim).map(Expansion.OnNode::retry).orElse(Retry.none()));
            }
        }
    }

    private void nodeExpand(Claim claim, Retry retry) {
        if (nodeBusy() || controllerBusy()) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, nodeId, claim.allocationId());
        } else if (isFormer(claim.externalNodeId())) {
            draft.await(RemainingWork.Reason.NODE_REPLACED, nodeId, claim.allocationId());
        } else if (node.isEmpty()) {
            draft.await(RemainingWork.Reason.NODE_NOT_KNOWN, nodeId, claim.allocationId());
        } else if (node.get().status() != NodeStatus.READY) {
            draft.await(RemainingWork.Reason.NODE_NOT_READY, nodeId, claim.allocationId());
        } else if (facts.providerConflict(nodeId)) {
            draft.await(RemainingWork.Reason.PROVIDER_CONFLICT, nodeId, claim.allocationId());
        } else if (draft.due(retry, nodeId, claim.allocationId())) {
            callsNode = true;
            draft.publish(PlannedStep.ofClaim(Kind.NODE_EXPAND, claim.allocationId(), nodeId));
        }
    }

    private boolean allTaken() {
        return claims.count(ClaimState.TAKEN) == claims.size();
    }

    /** Returns whether the host or an operator guarantees that the claim's machine cannot reach storage any more. */
    private boolean isLost(Claim claim) {
        return isLost(claim.externalNodeId());
    }

    private boolean isLost(Optional<ExternalNodeId> externalNodeId) {
        return node.filter(one -> one.isLost(volume.pluginId(), externalNodeId)).isPresent();
    }

    /**
     * Returns whether a claim or an attachment belongs to a machine that is no longer behind the node. Then neither the
     * status of the node nor an answer of the node says anything about it.
     */
    private boolean isFormer(Optional<ExternalNodeId> externalNodeId) {
        return node.filter(one -> one.isFormer(volume.pluginId(), externalNodeId))
                .isPresent();
    }

    private boolean nodeBusy() {
        return callsNode || facts.calls().node().contains(nodeId);
    }

    private boolean controllerBusy() {
        return facts.calls().controller().contains(nodeId);
    }

    private void taken(Claim claim) {
        if (isLost(claim)) {
            checkpoint(claim, ClaimState.UNPUBLISHING, TransitionReason.NODE_LOST);
        } else if (facts.sweep() && facts.ended(claim)) {
            checkpoint(claim, ClaimState.UNPUBLISHING, TransitionReason.ALLOCATION_ENDED);
        } else if (isFormer(claim.externalNodeId())) {
            draft.await(RemainingWork.Reason.NODE_REPLACED, nodeId, claim.allocationId());
        } else if (!claim.nodeDetached() && fencedBy(facts.fencingPolicy(volume))) {
            outOfReach(claim, node.orElseThrow());
        }
    }

    /**
     * Returns whether the fencing policy allows ending a held claim because of the present status of its node. The
     * policy OnFence ends claims on a node that is down, but keeps claims on a disconnected node, whose workloads may
     * continue.
     */
    private boolean fencedBy(FencingPolicy policy) {
        boolean down = node.isPresent() && node.get().status() == NodeStatus.DOWN;
        return (policy instanceof FencingPolicy.AfterGrace && outOfReach(node))
                || (policy instanceof FencingPolicy.OnFence && down);
    }

    private void checkpoint(Claim claim, ClaimState state, TransitionReason reason) {
        draft.write(PlannedStep.checkpoint(claim.allocationId(), state, reason));
    }

    private void unpublishing(Claim claim) {
        if (claim.operatorOverride().isPresent()) {
            checkpoint(claim, ClaimState.NODE_DETACHED, TransitionReason.OVERRIDDEN);
            return;
        }
        if (node.isEmpty()) {
            draft.await(RemainingWork.Reason.NODE_NOT_KNOWN, nodeId, claim.allocationId());
            return;
        }
        if (isLost(claim)) {
            checkpoint(claim, ClaimState.NODE_DETACHED, TransitionReason.NODE_LOST);
            return;
        }
        if (isFormer(claim.externalNodeId())) {
            draft.await(RemainingWork.Reason.NODE_REPLACED, nodeId, claim.allocationId());
            return;
        }
        switch (node.get().status()) {
            case READY -> nodeStep(claim);
            case DISCONNECTED, DOWN -> outOfReach(claim, node.get());
            case FENCED, GONE -> throw new IllegalStateException("node " + nodeId + " is lost");
        }
    }

    private void nodeStep(Claim claim) {
        if (nodeBusy() || controllerBusy()) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, nodeId, claim.allocationId());
        } else if (facts.providerConflict(nodeId)) {
            draft.await(RemainingWork.Reason.PROVIDER_CONFLICT, nodeId, claim.allocationId());
        } else if (draft.due(claim.retry(), nodeId, claim.allocationId())) {
            callsNode = true;
            draft.detach(PlannedStep.ofClaim(Kind.NODE_DETACH, claim.allocationId(), nodeId));
        }
    }

    private void outOfReach(Claim claim, Node silent) {
        if (policyGivesUp(silent, claim.allocationId())) {
            checkpoint(claim, claim.state().next().orElseThrow(), TransitionReason.GRACE_ENDED);
        }
    }

    /**
     * Returns whether a node out of reach counts as fenced for the volume, by the volume's fencing policy. If not, adds
     * the wait to the plan, and the request to fence the node if the policy wants one.
     *
     * @param silent the node
     * @param allocationId the allocation of the waiting claim; null if the attachment waits
     */
    private boolean policyGivesUp(Node silent, @Nullable AllocationId allocationId) {
        FencingPolicy policy = facts.fencingPolicy(volume);
        if (policy instanceof FencingPolicy.AfterGrace after) {
            Duration left = after.grace().minus(facts.inStatus(silent));
            if (left.compareTo(Duration.ZERO) <= 0) {
                return true;
            }
            draft.await(RemainingWork.Reason.GRACE_RUNNING, nodeId, allocationId, left);
        } else if (policy instanceof FencingPolicy.OnFence) {
            if (!facts.fenceRequested(nodeId)) {
                draft.fence(nodeId);
            }
            draft.await(RemainingWork.Reason.FENCE_REQUESTED, nodeId, allocationId);
        } else {
            draft.await(RemainingWork.Reason.NODE_NOT_CONFIRMED, nodeId, allocationId);
        }
        return false;
    }

    /**
     * Plans the last step of a claim's release. The last claim on a node is kept until the volume is detached from the
     * node.
     */
    private void nodeDetached(Claim claim) {
        if (attachment.isPresent() && claims.notNodeDetached() == 0) {
            draft.await(RemainingWork.Reason.DETACHING, nodeId, claim.allocationId());
        } else if (attachment.isEmpty() && facts.controllerNeed() == ControllerNeed.UNKNOWN) {
            draft.await(RemainingWork.Reason.PLUGIN_NOT_KNOWN, nodeId, claim.allocationId());
        } else {
            TransitionReason reason =
                    attachment.isPresent() ? TransitionReason.OTHERS_KEEP_ATTACHMENT : TransitionReason.NOT_ATTACHED;
            checkpoint(claim, ClaimState.READY_TO_FREE, reason);
            draft.write(PlannedStep.freeClaim(claim.allocationId()));
        }
    }

    private void readyToFree(Claim claim) {
        if (attachment.isPresent() && claims.notNodeDetached() == 0) {
            draft.await(RemainingWork.Reason.DETACHING, nodeId, claim.allocationId());
        } else {
            draft.write(PlannedStep.freeClaim(claim.allocationId()));
        }
    }

    private void attachment(Attachment attached) {
        boolean used = claims.count(ClaimState.TAKEN) > 0;
        boolean leaving = attached.state() == AttachmentState.UNPUBLISHING;
        if (attached.state() == AttachmentState.PUBLISHED && used) {
            return;
        }
        if (controllerBusy()) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, nodeId, null);
        } else if (used) {
            // No command admits a claim while the volume is being detached from the claim's node. If the state has such
            // a claim all the same, the detachment waits for the claim to end.
            if (leaving) {
                draft.await(RemainingWork.Reason.CLAIMS_ON_NODE, nodeId, null);
            } else {
                publish(attached);
            }
        } else if (claims.notNodeDetached() > 0) {
            draft.await(RemainingWork.Reason.CLAIMS_ON_NODE, nodeId, null);
        } else if (leaving && attached.operatorOverride().isPresent()) {
            draft.write(PlannedStep.removeAttachment(nodeId, TransitionReason.OVERRIDDEN));
        } else if (ledgerPermitsDetach(attached) && mayCall(attached, Rpc.CONTROLLER_UNPUBLISH_VOLUME)) {
            if (leaving) {
                draft.detach(PlannedStep.onNode(Kind.CONTROLLER_UNPUBLISH, nodeId));
            } else {
                draft.write(PlannedStep.onNode(Kind.BEGIN_CONTROLLER_UNPUBLISH, nodeId));
            }
        }
    }

    /**
     * Returns whether the volume may be detached from the node as far as the node's ledger is concerned. If not, adds
     * the wait to the plan. The claims may be older than the ledger, so they alone do not prove that nobody uses the
     * volume. Of a former machine or one
     * without an id, neither the status nor the grace period of the node says anything.
     */
    private boolean ledgerPermitsDetach(Attachment attached) {
        Optional<ExternalNodeId> machine = externalNodeId(attached);
        boolean mayUse =
                node.map(Node::ledger).filter(ledger -> ledger.mayUse(volume)).isPresent();
        if (!mayUse || isLost(machine)) {
            return true;
        }
        if (outOfReach(node) && machine.isPresent() && !isFormer(machine)) {
            return policyGivesUp(node.orElseThrow(), null);
        }
        draft.await(RemainingWork.Reason.LEDGER_NOT_KNOWN, nodeId, null);
        return false;
    }

    /**
     * Returns whether an adopted claim shows that another node has the volume mounted, and the access mode permits one
     * node. The claims on this node are then older than the state of the world.
     */
    private boolean mountedOnAnotherNode(Attachment attached) {
        if (attached.capability().accessMode().multiNode()) {
            return false;
        }
        for (Claim claim : volume.claims()) {
            if (claim.adopted() && !claim.nodeDetached() && !claim.nodeId().equals(nodeId)) {
                return true;
            }
        }
        return false;
    }

    private void publish(Attachment attached) {
        if (volume.isLost()) {
            draft.await(RemainingWork.Reason.VOLUME_LOST, nodeId, null);
        } else if (nodeBusy()) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, nodeId, null);
        } else if (isFormer(externalNodeId(attached))) {
            draft.await(RemainingWork.Reason.NODE_REPLACED, nodeId, null);
        } else if (node.filter(n -> n.status() == NodeStatus.READY).isEmpty()) {
            draft.await(
                    node.isEmpty() ? RemainingWork.Reason.NODE_NOT_KNOWN : RemainingWork.Reason.NODE_NOT_READY,
                    nodeId,
                    null);
        } else if (facts.providerConflict(nodeId)) {
            draft.await(RemainingWork.Reason.PROVIDER_CONFLICT, nodeId, null);
        } else if (facts.ledgersUnsettled()) {
            draft.await(RemainingWork.Reason.LEDGER_NOT_KNOWN, nodeId, null);
        } else if (mountedOnAnotherNode(attached)) {
            draft.await(RemainingWork.Reason.IN_USE, nodeId, null);
        } else if (mayCall(attached, Rpc.CONTROLLER_PUBLISH_VOLUME)) {
            draft.publish(PlannedStep.onNode(Kind.CONTROLLER_PUBLISH, nodeId));
        }
    }

    /**
     * Returns the storage provider's id of the node, with which calls are made. The attachment normally has the id. In a
     * row that an older version of csi4j has stored, a claim has it instead.
     */
    private Optional<ExternalNodeId> externalNodeId(Attachment attached) {
        Optional<ExternalNodeId> id = attached.externalNodeId();
        for (Claim claim : claims) {
            id = id.isPresent() ? id : claim.externalNodeId();
        }
        return id;
    }

    /**
     * Returns whether a controller call for the attachment can be made now. If not, adds a wait with the reason to the
     * plan.
     */
    private boolean mayCall(Attachment attached, Rpc rpc) {
        ControllerNeed need = facts.attachedNeed();
        if (need == ControllerNeed.UNKNOWN) {
            draft.await(RemainingWork.Reason.PLUGIN_NOT_KNOWN, nodeId, null);
        } else if (need == ControllerNeed.NOT_REQUIRED) {
            draft.await(RemainingWork.Reason.PLUGIN_NO_LONGER_ATTACHES, nodeId, null);
        } else if (!facts.controllerAvailable(rpc)) {
            draft.await(RemainingWork.Reason.NO_HEALTHY_CONTROLLER, nodeId, null);
        } else if (externalNodeId(attached).isEmpty()) {
            draft.await(RemainingWork.Reason.EXTERNAL_NODE_ID_NOT_KNOWN, nodeId, null);
        } else if (draft.due(attached.retry(), nodeId, null)) {
            if (draft.takeCapacity()) {
                return true;
            }
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, nodeId, null);
        }
        return false;
    }
}
