package io.csi4j.core.internal.plan;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
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
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * What any plan must keep to, said once more and apart from the planner: I2, I3, I4, I6, I8 and totality.
 * Each answers a sentence about what is wrong, or nothing.
 */
final class PlanRules {
    private final Volume volume;
    private final PlanFacts facts;
    private final Set<AllocationId> readyInThisPlan = new HashSet<>();
    private final Set<NodeId> detaching = new HashSet<>();
    private final Set<NodeId> controller = new HashSet<>();
    private boolean aboutVolume;

    private PlanRules(Volume volume, PlanFacts facts) {
        this.volume = volume;
        this.facts = facts;
    }

    static Optional<String> broken(Volume volume, PlanFacts facts, Plan plan) {
        PlanRules rules = new PlanRules(volume, facts);
        for (PlannedStep step : plan.actions()) {
            Optional<String> wrong = rules.check(step);
            if (wrong.isPresent()) {
                return Optional.of(step + ": " + wrong.get());
            }
        }
        return rules.whole(plan);
    }

    private Optional<String> check(PlannedStep step) {
        return switch (step.kind()) {
            case CREATE_VOLUME -> createVolume();
            case DELETE_VOLUME -> deleteVolume();
            case VERIFY_VOLUME -> verifyVolume();
            case EXPAND_VOLUME -> expandVolume();
            case MODIFY_VOLUME -> modifyVolume();
            case NODE_EXPAND -> nodeExpand(step);
            case CONTROLLER_PUBLISH -> controllerPublish(step);
            case NODE_DETACH -> nodeDetach(step);
            case CONTROLLER_UNPUBLISH -> controllerUnpublish(step);
            case REQUEST_FENCE -> requestFence(step);
            case SKIP_CONTROLLER_EXPANSION -> skipControllerExpansion();
            case BEGIN_CONTROLLER_UNPUBLISH -> beginControllerUnpublish(step);
            case REMOVE_ATTACHMENT -> removeAttachment(step);
            case CHECKPOINT_CLAIM -> checkpointClaim(step);
            case FREE_CLAIM -> freeClaim(step);
            case DISCARD_UNUSED ->
                volume.isUnused()
                                && !volume.inUse()
                                && !facts.calls().volume()
                                && facts.unusedFor().compareTo(VolumePlan.UNUSED) >= 0
                        ? Optional.empty()
                        : Optional.of("D18: a volume is given up that a claim may still take");
        };
    }

    private Optional<String> whole(Plan plan) {
        int calls = controller.size() + facts.calls().controller().size();
        if (!controller.isEmpty() && calls > facts.maxControllerCalls()) {
            return Optional.of("I4: " + calls + " controller calls at once");
        }
        if (aboutVolume && calls > 0) {
            return Optional.of("I4: a call about the volume beside one for a node");
        }
        if (detaching.stream().anyMatch(controller::contains)) {
            return Optional.of("a node call beside a controller call for the same node");
        }
        Optional<Instant> first =
                plan.waits().stream().flatMap(wait -> wait.until().stream()).min(Instant::compareTo);
        if (!plan.wakeAt().equals(first)
                || first.filter(at -> !at.isAfter(facts.now())).isPresent()) {
            return Optional.of("wakes at " + plan.wakeAt() + " for waits until " + first);
        }
        return plan.idle() && !settled()
                ? Optional.of("I7: idle, though something remains to be done")
                : Optional.empty();
    }

    private boolean settled() {
        boolean ends = StreamSupport.stream(volume.claims().spliterator(), false)
                .anyMatch(claim -> claim.state() == ClaimState.TAKEN
                        && claim.operatorOverride().isEmpty()
                        && endsWithItsNode(claim.nodeId()));
        if (!facts.sweep() || ends) {
            return !volume.unsettled() && !ends;
        }
        for (Attachment attachment : volume.attachments()) {
            if (attachment.state() != AttachmentState.PUBLISHED
                    || volume.claims().on(attachment.nodeId()).count(ClaimState.TAKEN) == 0) {
                return false;
            }
        }
        return volume.phase() == VolumePhase.AVAILABLE
                && !volume.changing()
                && volume.claims().count(ClaimState.TAKEN) == volume.claims().size()
                && StreamSupport.stream(volume.claims().spliterator(), false)
                        .noneMatch(claim -> lost(claim.nodeId()) || facts.ended(claim));
    }

    /** N2: sooner or later, by the volume's policy. */
    private boolean endsWithItsNode(NodeId nodeId) {
        FencingPolicy policy = facts.fencingPolicy(volume);
        return (policy instanceof FencingPolicy.AfterGrace && outOfReach(nodeId))
                || (policy instanceof FencingPolicy.OnFence && is(nodeId, NodeStatus.DOWN));
    }

    private static Optional<String> unless(boolean right, String rule) {
        return right ? Optional.empty() : Optional.of(rule);
    }

    private boolean lost(NodeId nodeId) {
        return replaced(nodeId)
                ? machine(nodeId)
                        .filter(machine -> machine.former().get(0).lost())
                        .isPresent()
                : is(nodeId, NodeStatus.FENCED) || is(nodeId, NodeStatus.GONE);
    }

    private Optional<NodeMachine> machine(NodeId nodeId) {
        return facts.node(nodeId).flatMap(node -> node.machine(volume.pluginId()));
    }

    /** I20: whether what the node says is about another machine than that of the claims and attachments. */
    private boolean replaced(NodeId nodeId) {
        return machine(nodeId).isPresent();
    }

    private boolean is(NodeId nodeId, NodeStatus status) {
        return facts.node(nodeId).map(Node::status).filter(status::equals).isPresent();
    }

    private boolean outOfReach(NodeId nodeId) {
        return is(nodeId, NodeStatus.DOWN) || is(nodeId, NodeStatus.DISCONNECTED);
    }

    private boolean nothingLeftOn(NodeId nodeId) {
        for (Claim claim : volume.claims().on(nodeId)) {
            boolean overridden = claim.operatorOverride().isPresent();
            if (claim.state() == ClaimState.TAKEN || (claim.state() == ClaimState.UNPUBLISHING && !overridden)) {
                return false;
            }
        }
        return true;
    }

    private boolean due(Retry retry) {
        return retry.nextRetry().filter(at -> at.isAfter(facts.now())).isEmpty();
    }

    private Optional<String> controllerCall(NodeId nodeId, Rpc rpc, AttachmentState state) {
        Optional<Attachment> attachment = volume.attachments().on(nodeId);
        controller.add(nodeId);
        return unless(
                attachment.isPresent()
                        && attachment.get().state() == state
                        && (attachment.get().externalNodeId().isPresent()
                                || !volume.claims().on(nodeId).isEmpty())
                        && due(attachment.get().retry())
                        && facts.attachedNeed() == ControllerNeed.REQUIRED
                        && facts.controllerAvailable(rpc)
                        && !facts.calls().volume()
                        && !facts.calls().controller().contains(nodeId),
                "I4, I5, I8: a controller call without intent, id, controller, or beside another");
    }

    private Optional<String> createVolume() {
        aboutVolume = true;
        return unless(
                volume.phase() == VolumePhase.CREATING
                        && facts.controllerAvailable(Rpc.CREATE_VOLUME)
                        && !facts.notVerified()
                        && !facts.calls().volume(),
                "R56: nothing is to be created, or it is being tried, or it was not requested since a restore");
    }

    private Optional<String> verifyVolume() {
        boolean alone = !aboutVolume;
        aboutVolume = true;
        return unless(
                alone
                        && !facts.calls().volume()
                        && volume.phase() == VolumePhase.AVAILABLE
                        && volume.verification()
                                .filter(known -> known.stage() == Verification.Stage.ASKED && due(known.retry()))
                                .isPresent()
                        && facts.controllerAvailable(Rpc.VALIDATE_VOLUME_CAPABILITIES),
                "D28: no claim asks for it, or beside another call");
    }

    private Optional<String> deleteVolume() {
        aboutVolume = true;
        return unless(
                volume.phase() == VolumePhase.DELETING
                        && !volume.inUse()
                        && (!facts.ledgersUnsettled()
                                || volume.externalVolumeId().isEmpty())
                        && facts.controllerAvailable(Rpc.DELETE_VOLUME)
                        && !facts.calls().volume(),
                "R49: it is in use, or not to be deleted, or it is being tried");
    }

    private Optional<String> controllerPublish(PlannedStep action) {
        return controllerCall(action.nodeId(), Rpc.CONTROLLER_PUBLISH_VOLUME, AttachmentState.PUBLISHING)
                .or(() -> unless(
                        volume.claims().on(action.nodeId()).count(ClaimState.TAKEN) > 0
                                && !facts.ledgersUnsettled()
                                && is(action.nodeId(), NodeStatus.READY)
                                && !facts.providerConflict(action.nodeId())
                                && !replaced(action.nodeId()),
                        "I2, I20: nobody needs it there, or another machine or driver is there"))
                .or(() -> unless(!volume.isLost(), "I25: the provider does not have it"));
    }

    private Optional<String> expandVolume() {
        boolean alone = !aboutVolume;
        aboutVolume = true;
        Optional<Expansion> request = volume.expansion();
        return unless(
                alone
                        && !facts.calls().volume()
                        && volume.phase() == VolumePhase.AVAILABLE
                        && request.isPresent()
                        && request.get().stage() == Expansion.Stage.CONTROLLER
                        && !request.get().retry().refused()
                        && due(request.get().retry())
                        && facts.expansionNeed() == ControllerNeed.REQUIRED
                        && !(facts.expandsOfflineOnly() && (volume.inUse() || facts.ledgersUnsettled()))
                        && facts.controllerAvailable(Rpc.CONTROLLER_EXPAND_VOLUME),
                "R82, I5: without a wish, or while it must not be");
    }

    private Optional<String> skipControllerExpansion() {
        return unless(
                facts.expansionNeed() == ControllerNeed.NOT_REQUIRED
                        && volume.expansion().orElseThrow().stage() == Expansion.Stage.CONTROLLER,
                "I8: it is not known that the controller expands nothing");
    }

    private Optional<String> modifyVolume() {
        boolean alone = !aboutVolume;
        aboutVolume = true;
        Optional<Modification> request = volume.modification();
        return unless(
                alone
                        && !facts.calls().volume()
                        && volume.phase() == VolumePhase.AVAILABLE
                        && request.isPresent()
                        && !request.get().retry().refused()
                        && due(request.get().retry())
                        && facts.controllerAvailable(Rpc.CONTROLLER_MODIFY_VOLUME),
                "R74, I5: without a wish, or beside another call");
    }

    private Optional<String> nodeExpand(PlannedStep action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        Expansion request = volume.expansion().orElseThrow();
        boolean attached = volume.attachments()
                .on(action.nodeId())
                .filter(there -> there.state() != AttachmentState.PUBLISHED)
                .isEmpty();
        return unless(
                detaching.add(action.nodeId())
                        && claim.nodeId().equals(action.nodeId())
                        && claim.state() == ClaimState.TAKEN
                        && request.stage() == Expansion.Stage.NODES
                        && request.of(claim)
                                .filter(step -> step.done() || step.retry().refused() || !due(step.retry()))
                                .isEmpty()
                        && attached
                        && is(action.nodeId(), NodeStatus.READY)
                        && !replaced(action.nodeId())
                        && !facts.providerConflict(action.nodeId())
                        && !facts.calls().node().contains(action.nodeId())
                        && !facts.calls().controller().contains(action.nodeId()),
                "R83, R95, I4: not due, refused, or beside another call");
    }

    private Optional<String> nodeDetach(PlannedStep action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return unless(
                detaching.add(action.nodeId())
                        && claim.nodeId().equals(action.nodeId())
                        && claim.state() == ClaimState.UNPUBLISHING
                        && due(claim.retry())
                        && is(action.nodeId(), NodeStatus.READY)
                        && !replaced(action.nodeId())
                        && !facts.providerConflict(action.nodeId())
                        && !facts.calls().node().contains(action.nodeId())
                        && !facts.calls().controller().contains(action.nodeId()),
                "I4: of a claim that is used, or beside another call");
    }

    /** No use of the volume there is known, and the node has reported that if the state may be old. */
    private boolean ledgerPermits(NodeId nodeId) {
        return facts.node(nodeId)
                        .filter(node -> node.ledger().missing()
                                || node.ledger().unclaimed().stream().anyMatch(report -> report.names(volume)))
                        .isEmpty()
                || lost(nodeId)
                || graceEnded(nodeId);
    }

    private Optional<String> beginControllerUnpublish(PlannedStep action) {
        return unless(
                ledgerPermits(action.nodeId())
                        && volume.attachments()
                                        .on(action.nodeId())
                                        .orElseThrow()
                                        .state()
                                != AttachmentState.UNPUBLISHING
                        && nothingLeftOn(action.nodeId())
                        && !facts.calls().controller().contains(action.nodeId()),
                "I3: something may be left on the node");
    }

    private Optional<String> controllerUnpublish(PlannedStep action) {
        return controllerCall(action.nodeId(), Rpc.CONTROLLER_UNPUBLISH_VOLUME, AttachmentState.UNPUBLISHING)
                .or(() -> unless(
                        nothingLeftOn(action.nodeId()) && ledgerPermits(action.nodeId()),
                        "I3: something may be left on the node"));
    }

    private Optional<String> removeAttachment(PlannedStep action) {
        Attachment attachment = volume.attachments().on(action.nodeId()).orElseThrow();
        return unless(
                attachment.state() == AttachmentState.UNPUBLISHING
                        && attachment.operatorOverride().isPresent()
                        && nothingLeftOn(action.nodeId())
                        && action.reason() == TransitionReason.OVERRIDDEN,
                "I6, N1: only a call or an operator detaches");
    }

    private Optional<String> checkpointClaim(PlannedStep action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        if (claim.state().next().filter(action.state()::equals).isEmpty()) {
            return Optional.of("one step forward from " + claim.state());
        }
        return switch (action.state()) {
            case TAKEN -> Optional.of("never back");
            case UNPUBLISHING ->
                unless(
                        (action.reason() == TransitionReason.NODE_LOST && lost(claim.nodeId()))
                                || (action.reason() == TransitionReason.GRACE_ENDED && graceEnded(claim.nodeId()))
                                || (action.reason() == TransitionReason.ALLOCATION_ENDED && facts.ended(claim)),
                        "S30: its allocation is not over");
            case NODE_DETACHED -> unless(detachedByFact(claim, action.reason()), "N2: without a fact");
            case READY_TO_FREE -> {
                readyInThisPlan.add(action.allocationId());
                yield keepsNothing(claim, true);
            }
        };
    }

    private boolean graceEnded(NodeId nodeId) {
        return outOfReach(nodeId)
                && !replaced(nodeId)
                && facts.fencingPolicy(volume) instanceof FencingPolicy.AfterGrace after
                && facts.inStatus(facts.node(nodeId).orElseThrow()).compareTo(after.grace()) >= 0;
    }

    private boolean detachedByFact(Claim claim, TransitionReason reason) {
        return switch (reason) {
            case OVERRIDDEN -> claim.operatorOverride().isPresent();
            case NODE_LOST -> lost(claim.nodeId());
            case GRACE_ENDED -> graceEnded(claim.nodeId());
            case ALLOCATION_ENDED, OTHERS_KEEP_ATTACHMENT, NOT_ATTACHED -> false;
        };
    }

    /** I6: nothing is attached, or another claim on the node sees to it. */
    private Optional<String> keepsNothing(Claim claim, boolean asksNeed) {
        Claims here = volume.claims().on(claim.nodeId());
        boolean attached = volume.attachments().on(claim.nodeId()).isPresent();
        boolean others = StreamSupport.stream(here.spliterator(), false)
                .anyMatch(other -> !other.allocationId().equals(claim.allocationId())
                        && !other.state().atLeast(ClaimState.NODE_DETACHED));
        boolean known = !asksNeed || attached || facts.controllerNeed() != ControllerNeed.UNKNOWN;
        return unless((!attached || others) && known, "I6, I8: it may be attached still");
    }

    private Optional<String> freeClaim(PlannedStep action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return unless(
                        claim.state() == ClaimState.READY_TO_FREE || readyInThisPlan.contains(action.allocationId()),
                        "I6: it is " + claim.state())
                .or(() -> keepsNothing(claim, false));
    }

    private Optional<String> requestFence(PlannedStep action) {
        return unless(
                outOfReach(action.nodeId())
                        && !replaced(action.nodeId())
                        && facts.fencingPolicy(volume) instanceof FencingPolicy.OnFence
                        && !facts.fenceRequested(action.nodeId())
                        && (volume.claims().on(action.nodeId()).notNodeDetached() > 0
                                || !ledgerPermits(action.nodeId())),
                "N2: fencing is not asked for");
    }
}
