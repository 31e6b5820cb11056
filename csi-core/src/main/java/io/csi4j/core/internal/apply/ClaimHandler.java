package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Admission;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Applies the commands about claims. */
final class ClaimHandler implements ClaimCommand.Cases<Outcome> {
    private final Step step;

    ClaimHandler(Step step) {
        this.step = step;
    }

    /**
     * Takes the claims of an allocation. If a volume with a template is missing, the command makes the missing volumes, and
     * takes no claim yet. The same is true if a volume has to be verified after a restore. If several volumes cannot be claimed, the result is a permanent refusal if
     * there is one, and otherwise a reason to wait.
     */
    @Override
    public Outcome takeClaims(ClaimCommand.TakeClaims command) {
        if (command.ifRequestedAt() != 0
                && step.reader()
                        .requestedClaims(new RequestedClaims.Key(command.allocationId(), command.ifRequestedAt()))
                        .isEmpty()) {
            return step.accepted();
        }
        for (Map.Entry<VolumeKey, AdmissionDecision.Never> never :
                ClaimRequest.conflicts(command.requests()).entrySet()) {
            return Step.rejected(new Rejection.NotAdmitted(never.getKey(), command.allocationId(), never.getValue()));
        }
        Optional<Outcome> verified = Verifications.begin(step, command.allocationId(), command.requests());
        if (verified.isPresent()) {
            return verified.get();
        }
        Optional<Outcome> made = TemplateVolumes.make(step, command.allocationId(), command.requests());
        if (made.isPresent()) {
            return made.get();
        }
        Optional<Rejection> wait = Optional.empty();
        Optional<Rejection> unverified = Optional.empty();
        for (ClaimRequest request : command.requests()) {
            // Asked before, because a claim that is stored for the decisions about the other volumes changes the
            // answer.
            boolean begins = mayBegin(request);
            Optional<Rejection> rejection = take(command.allocationId(), request);
            if (rejection.isPresent() && !mayBeGrantedLater(rejection.get())) {
                return Step.rejected(rejection.get());
            }
            if (begins && rejection.filter(ClaimHandler::isUnverified).isPresent()) {
                unverified = unverified.isPresent() ? unverified : rejection;
            } else {
                wait = wait.isPresent() ? wait : rejection;
            }
        }
        // A volume is verified only when nothing else keeps the claim waiting, so another reason says more.
        wait = wait.isPresent() ? wait : unverified;
        if (wait.isPresent()) {
            return Step.rejected(wait.get());
        }
        for (RequestedClaims stored : Step.collect(step.reader().requestedClaimsOf(command.allocationId()))) {
            if (stored.requests().equals(command.requests())) {
                step.writer().removeRequestedClaims(stored.key());
            }
        }
        return step.accepted();
    }

    @Override
    public Outcome requestClaims(ClaimCommand.RequestClaims command) {
        AllocationId id = command.allocationId();
        for (Map.Entry<VolumeKey, AdmissionDecision.Never> never :
                ClaimRequest.conflicts(command.requests()).entrySet()) {
            return Step.rejected(new Rejection.NotAdmitted(never.getKey(), id, never.getValue()));
        }
        Optional<Allocation> allocation = step.reader().allocation(id);
        if (allocation.isEmpty()) {
            return Step.rejected(new Rejection.AllocationNotFound(id));
        }
        if (allocation.get().ended()) {
            return Step.rejected(new Rejection.AllocationEnded(id));
        }
        for (RequestedClaims stored : step.reader().requestedClaimsOf(id)) {
            if (stored.requests().equals(command.requests())) {
                return step.accepted();
            }
        }
        step.writer().putRequestedClaims(new RequestedClaims(id, command.requests(), step.index(), step.at()));
        return step.accepted();
    }

    @Override
    public Outcome withdrawClaims(ClaimCommand.WithdrawClaims command) {
        AllocationEndings.releaseClaims(step, command.allocationId());
        return step.accepted();
    }

    @Override
    public Outcome refuseClaims(ClaimCommand.RefuseClaims command) {
        if (step.reader().requestedClaims(command.key()).isPresent()) {
            step.writer().removeRequestedClaims(command.key());
        }
        return step.accepted();
    }

    private static boolean mayBeGrantedLater(Rejection rejection) {
        return rejection instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Wait;
    }

    private static boolean isUnverified(Rejection rejection) {
        return rejection instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Wait wait
                && wait.reason() == WaitReason.NOT_VERIFIED;
    }

    /** Returns whether no claim has begun to verify a volume that has to be verified. */
    private boolean mayBegin(ClaimRequest request) {
        return step.reader()
                .volume(request.volume())
                .filter(volume -> Verifications.mayBegin(step.reader(), volume, request))
                .isPresent();
    }

    private Optional<Rejection> take(AllocationId claimant, ClaimRequest request) {
        Optional<Volume> known = step.reader().volume(request.volume());
        if (known.isEmpty()) {
            return Optional.of(new Rejection.VolumeNotFound(request.volume()));
        }
        Volume volume = known.get();
        Optional<Claim> own = volume.claims().get(claimant);
        Optional<Allocation> allocation = step.reader().allocation(claimant);
        if (own.isPresent()) {
            return repeat(volume, request, own.get(), allocation);
        }
        if (allocation.isEmpty()) {
            return Optional.of(new Rejection.AllocationNotFound(claimant));
        }
        if (allocation.get().ended()) {
            return Optional.of(new Rejection.AllocationEnded(claimant));
        }
        PlacementFacts facts =
                Placement.facts(step.reader(), volume, allocation.get().nodeId());
        AdmissionDecision decision = Admission.decide(
                Verifications.asVerified(step.reader(), volume, request),
                request,
                claimant,
                allocation.get().namespace(),
                facts);
        if (!decision.admitted()) {
            Rejection rejection = new Rejection.NotAdmitted(volume.key(), claimant, decision);
            if (isUnverified(rejection) && mayBegin(request)) {
                // The claim counts when the other volumes of the request are decided about; the rejection discards it.
                store(volume, claimant, request, facts);
            }
            return Optional.of(rejection);
        }
        store(volume, claimant, request, facts);
        return Optional.empty();
    }

    /**
     * Handles a repeated request for a volume that the allocation has already claimed. Accepts the request if it equals
     * the claim and the allocation's namespace may still use the volume.
     */
    private Optional<Rejection> repeat(
            Volume volume, ClaimRequest request, Claim own, Optional<Allocation> allocation) {
        AdmissionDecision decision = Admission.decideRepeated(
                volume,
                request,
                own,
                allocation.map(Allocation::namespace),
                step.reader().node(own.nodeId()),
                Ledgers.firstUnsettled(step.reader(), volume),
                Verifications.missing(step.reader(), volume));
        if (!decision.admitted()) {
            return Optional.of(new Rejection.NotAdmitted(volume.key(), own.allocationId(), decision));
        }
        // Gives the renewed claim the index of this command, so that a late release of the earlier claim has no effect.
        Claim renewed = own.toBuilder()
                .mountOptions(request.mountOptions())
                .takenIndex(step.index())
                .build();
        Volume now = step.store(volume.toBuilder().claims(volume.claims().with(renewed)));
        step.effect(new Effect.ClaimTaken(now, renewed, now.attachments().on(own.nodeId()), true));
        return Optional.empty();
    }

    private void store(Volume volume, AllocationId claimant, ClaimRequest request, PlacementFacts facts) {
        NodeId nodeId = facts.nodeId();
        ExternalNodeId externalNodeId =
                facts.nodeInfo().map(NodeInfo::externalNodeId).orElse(null);
        Claim claim = Claim.builder(claimant, nodeId, request.mode(), request.capability())
                .externalNodeId(externalNodeId)
                .mountOptions(request.mountOptions())
                .createIndex(step.index())
                .build();
        Attachments attachments = volume.attachments();
        if (facts.controllerNeed(volume) == ControllerNeed.REQUIRED
                && attachments.on(nodeId).isEmpty()) {
            attachments = attachments.with(Attachment.builder(nodeId, request.capability())
                    .externalNodeId(externalNodeId)
                    .readonly(facts.attachReadonly(request))
                    .mountOptions(volume.spec().mountOptions().overriddenBy(request.mountOptions()))
                    .createIndex(step.index())
                    .build());
        }
        Volume now = step.store(volume.toBuilder()
                .claims(volume.claims().with(claim))
                .attachments(attachments)
                .owner(ownerAfter(volume, request)));
        step.effect(new Effect.ClaimTaken(now, claim, attachments.on(nodeId), false));
    }

    /** Returns the owner of a claimed volume: a claim that uses a retained volume gives it to its own workload. */
    private static @Nullable VolumeOwner ownerAfter(Volume volume, ClaimRequest request) {
        Optional<WorkloadOwner> next = request.template().flatMap(VolumeTemplate::workload);
        boolean retained = volume.owner()
                .flatMap(VolumeOwner::ofWorkload)
                .flatMap(VolumeOwner.OfWorkload::endedAt)
                .isPresent();
        return retained && next.isPresent()
                ? new VolumeOwner.OfWorkload(next.get(), Optional.empty())
                : volume.owner().orElse(null);
    }

    @Override
    public Outcome adoptUses(ClaimCommand.AdoptUses command) {
        UseAdoption adoption = new UseAdoption(step, command.nodeId());
        for (VolumeUse use : command.uses()) {
            Optional<Volume> volume = step.reader().volume(command.key()).filter(use::isOf);
            if (volume.isPresent() && !adoption.adopt(volume.get(), use)) {
                hold(command.nodeId(), use);
            }
        }
        return step.accepted();
    }

    /** Remembers a use that cannot become a claim, so that the volume is not detached from the node. */
    private void hold(NodeId nodeId, VolumeUse use) {
        step.reader().node(nodeId).filter(node -> !node.status().lost()).ifPresent(node -> {
            NodeLedger ledger = node.ledger();
            if (ledger.unclaimed().stream().noneMatch(known -> known.uses().contains(use))) {
                List<LedgerReport> unclaimed = new ArrayList<>(ledger.unclaimed());
                unclaimed.add(UnclaimedUses.ofItsMachine(new LedgerReport(List.of(use), List.of()), node));
                step.writer().putNode(node.withLedger(new NodeLedger(ledger.missingSince(), unclaimed), step.index()));
            }
        });
    }

    @Override
    public Outcome checkpointClaim(ClaimCommand.CheckpointClaim command) {
        return step.withVolume(command.key(), volume -> checkpoint(volume, command));
    }

    private Outcome checkpoint(Volume volume, ClaimCommand.CheckpointClaim command) {
        Optional<Claim> claim = volume.claims()
                .get(command.allocationId())
                .filter(now -> command.ifTakenIndex() == 0 || now.takenIndex() == command.ifTakenIndex());
        if (claim.isEmpty() || claim.get().state().compareTo(command.state()) >= 0) {
            // Accepts the repetition of a command: the claim has reached the state already, or was freed.
            return step.accepted();
        }
        return advance(volume, claim.get(), command);
    }

    /**
     * Returns the claim of an allocation. Returns empty if the claim has another create index than
     * {@code ifCreateIndex}, because a command must not change a newer claim. If {@code ifCreateIndex} is 0, the create
     * index is not checked.
     */
    private static Optional<Claim> claim(Volume volume, AllocationId allocationId, long ifCreateIndex) {
        return volume.claims()
                .get(allocationId)
                .filter(claim -> ifCreateIndex == 0 || claim.createIndex() == ifCreateIndex);
    }

    private Outcome advance(Volume volume, Claim claim, ClaimCommand.CheckpointClaim command) {
        ClaimState next = command.state();
        if (claim.state().next().filter(next::equals).isEmpty()) {
            return Step.rejected(
                    new Rejection.ClaimStateSkipped(volume.key(), claim.allocationId(), claim.state(), next));
        }
        if (next == ClaimState.NODE_DETACHED && claim.operatorOverride().isEmpty() && isHeldByFormer(volume, claim)) {
            // The node's answer is the word of the present machine, and proves nothing for the claim's machine.
            return step.accepted();
        }
        if (next == ClaimState.READY_TO_FREE) {
            Optional<Attachment> attachment = volume.attachments().on(claim.nodeId());
            Claims here = volume.claims().on(claim.nodeId());
            if (attachment.isPresent() && here.size() - here.count(ClaimState.READY_TO_FREE) == 1) {
                return Step.rejected(
                        new Rejection.ClaimStillAttached(volume.key(), claim.allocationId(), attachment.get()));
            }
        }
        Claim advanced = claim.toBuilder().state(next).retry(Retry.none()).build();
        step.store(volume.toBuilder().claims(volume.claims().with(advanced)));
        if (next == ClaimState.UNPUBLISHING) {
            step.effect(new Effect.ClaimReleasable(volume.key(), claim.allocationId()));
        }
        return step.accepted();
    }

    /** Returns whether the claim's machine is no longer behind the node, and may still reach storage. */
    private boolean isHeldByFormer(Volume volume, Claim claim) {
        return step.reader()
                .node(claim.nodeId())
                .filter(node -> node.isFormer(volume.pluginId(), claim.externalNodeId())
                        && !node.isLost(volume.pluginId(), claim.externalNodeId()))
                .isPresent();
    }

    @Override
    public Outcome freeClaim(ClaimCommand.FreeClaim command) {
        return step.withVolume(command.key(), volume -> free(volume, command));
    }

    private Outcome free(Volume volume, ClaimCommand.FreeClaim command) {
        Optional<Claim> claim = claim(volume, command.allocationId(), command.ifCreateIndex());
        if (claim.isEmpty()) {
            return step.accepted();
        }
        boolean free = claim.get().state() == ClaimState.READY_TO_FREE
                || claim.get().operatorOverride().isPresent();
        if (!free) {
            return Step.rejected(new Rejection.ClaimStateSkipped(
                    command.key(), command.allocationId(), claim.get().state(), ClaimState.READY_TO_FREE));
        }
        NodeId nodeId = claim.get().nodeId();
        Claims claims = volume.claims().without(command.allocationId());
        if (volume.isInline() && claims.isEmpty()) {
            step.effect(new Effect.ClaimFreed(command.key(), command.allocationId(), nodeId));
            return new VolumeHandler(step).remove(volume);
        }
        step.store(AllocationEndings.withoutOwner(
                step, volume.toBuilder().claims(claims).attachments(remainingAttachments(volume, claims, nodeId))));
        step.effect(new Effect.ClaimFreed(command.key(), command.allocationId(), nodeId));
        UnreferencedRows.removeGoneNode(step, nodeId);
        return step.accepted();
    }

    /**
     * Returns the volume's attachments after a claim was removed. If no claim on the node is left, but an attachment
     * to the node is, the attachment becomes UNPUBLISHING, so that the volume is detached. This happens only if an
     * operator's override ended the claim before the volume was detached.
     */
    private static Attachments remainingAttachments(Volume volume, Claims claims, NodeId nodeId) {
        Optional<Attachment> attachment = volume.attachments().on(nodeId);
        return attachment.isEmpty()
                        || attachment.get().state() == AttachmentState.UNPUBLISHING
                        || !claims.on(nodeId).isEmpty()
                ? volume.attachments()
                : volume.attachments()
                        .with(attachment.get().toBuilder()
                                .state(AttachmentState.UNPUBLISHING)
                                .retry(Retry.none())
                                .build());
    }

    @Override
    public Outcome overrideClaim(ClaimCommand.OverrideClaim command) {
        return step.withVolume(command.key(), volume -> override(volume, command));
    }

    private Outcome override(Volume volume, ClaimCommand.OverrideClaim command) {
        VolumeKey key = volume.key();
        Optional<Claim> claim = claim(volume, command.allocationId(), command.ifCreateIndex());
        if (claim.isEmpty() && command.ifCreateIndex() == 0) {
            return Step.rejected(new Rejection.ClaimNotFound(key, command.allocationId()));
        }
        if (claim.isEmpty() || claim.get().operatorOverride().isPresent()) {
            return step.accepted();
        }
        boolean taken = claim.get().state() == ClaimState.TAKEN;
        Claim overridden = (taken ? AllocationEndings.releasable(claim.get()) : claim.get())
                .toBuilder()
                        .operatorOverride(new OperatorOverride(command.operator(), command.reason(), step.at()))
                        .build();
        step.store(volume.toBuilder().claims(volume.claims().with(overridden)));
        if (taken) {
            step.effect(new Effect.ClaimReleasable(key, command.allocationId()));
        }
        return step.accepted();
    }
}
