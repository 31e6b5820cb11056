package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns uses that a node reports into claims, if the state has no claim for them. */
final class UseAdoption {
    private final Step step;
    private final NodeId nodeId;

    UseAdoption(Step step, NodeId nodeId) {
        this.step = step;
        this.nodeId = nodeId;
    }

    /** Adopts all uses of a report, and returns the part of the report that no claim can represent. */
    LedgerReport adoptAll(LedgerReport report) {
        List<VolumeUse> left = new ArrayList<>();
        for (VolumeUse use : report.uses()) {
            if (isOfOtherMachine(report, use)) {
                left.add(use);
                continue;
            }
            releaseIfLeaving(use);
            if (volume(use).filter(volume -> adopt(volume, use)).isEmpty()) {
                left.add(use);
            }
        }
        return new LedgerReport(left, report.unclear(), report.machines());
    }

    /** Releases a claim whose volume the node is unmounting already: the release is later than the state. */
    private void releaseIfLeaving(VolumeUse use) {
        if (!use.leaving()) {
            return;
        }
        volume(use)
                .filter(volume -> !hasFormerMachine(volume))
                .ifPresent(volume -> volume.claims()
                        .get(use.allocationId())
                        .filter(claim -> claim.nodeId().equals(nodeId) && claim.state() == ClaimState.TAKEN)
                        .ifPresent(claim -> {
                            step.store(volume.toBuilder()
                                    .claims(volume.claims().with(AllocationEndings.releasable(claim))));
                            step.effect(new Effect.ClaimReleasable(volume.key(), use.allocationId()));
                        }));
    }

    /**
     * Returns whether a use is one of a machine that is not the present one, as its plugin identifies it. A claim would
     * be for the present machine, and would be published to it.
     */
    private boolean isOfOtherMachine(LedgerReport report, VolumeUse use) {
        return step.reader()
                .node(nodeId)
                .filter(node -> node.isFormer(use.pluginId(), report.machine(use.pluginId())))
                .isPresent();
    }

    /** Returns the volume of a use. The storage provider's id counts more than the name that the node has for it. */
    private Optional<Volume> volume(VolumeUse use) {
        Optional<VolumeKey> byExternalId = step.reader().volumeByExternalId(use.pluginId(), use.externalVolumeId());
        return byExternalId
                .flatMap(step.reader()::volume)
                .or(() -> step.reader()
                        .volume(use.volume())
                        .filter(volume -> volume.pluginId().equals(use.pluginId())
                                && volume.remoteId().equals(use.externalVolumeId())));
    }

    /**
     * Adopts a use of a volume.
     *
     * @return false if the state contradicts the use, or lacks the facts for a claim
     */
    boolean adopt(Volume volume, VolumeUse use) {
        if (hasFormerMachine(volume)) {
            return false;
        }
        Optional<Claim> own = volume.claims().get(use.allocationId());
        if (own.isPresent()) {
            return own.get().nodeId().equals(nodeId) && confirm(volume, own.get());
        }
        Optional<Allocation> allocation = step.reader().allocation(use.allocationId());
        if (allocation.filter(placed -> !placed.nodeId().equals(nodeId)).isPresent()) {
            return false;
        }
        PlacementFacts facts = Placement.facts(step.reader(), volume, nodeId);
        if (facts.controllerNeed(volume) == ControllerNeed.UNKNOWN
                || (facts.controllerNeed(volume) == ControllerNeed.REQUIRED
                        && facts.nodeInfo().isEmpty())) {
            return false;
        }
        boolean ended = use.leaving() || allocation.filter(Allocation::ended).isPresent();
        store(volume, use, facts, ended);
        return true;
    }

    /**
     * Returns whether the volume still has a claim or an attachment of a machine that is no longer behind the node. The
     * report is about the present machine, and a volume has one attachment to a node, so the use cannot become a claim
     * before the host or an operator makes a statement about the former machine.
     */
    private boolean hasFormerMachine(Volume volume) {
        Node node = step.reader().node(nodeId).orElse(null);
        if (node == null) {
            return false;
        }
        for (Claim claim : volume.claims().on(nodeId)) {
            if (node.isFormer(volume.pluginId(), claim.externalNodeId())) {
                return true;
            }
        }
        return volume.attachments()
                .on(nodeId)
                .filter(attached -> node.isFormer(volume.pluginId(), attached.externalNodeId()))
                .isPresent();
    }

    /**
     * Asks the node again about a claim that the state has as detached although the node still has its use. The
     * statement of an operator about this claim counts more than the ledger.
     */
    private boolean confirm(Volume volume, Claim claim) {
        if (claim.state().atLeast(ClaimState.NODE_DETACHED)
                && claim.operatorOverride().isEmpty()) {
            Claim again = claim.toBuilder()
                    .state(ClaimState.UNPUBLISHING)
                    .retry(Retry.none())
                    .build();
            step.store(volume.toBuilder().claims(volume.claims().with(again)));
        }
        return true;
    }

    private void store(Volume volume, VolumeUse use, PlacementFacts facts, boolean ended) {
        ExternalNodeId externalNodeId =
                facts.nodeInfo().map(NodeInfo::externalNodeId).orElse(null);
        Claim claim = Claim.builder(use.allocationId(), nodeId, use.mode(), use.capability())
                .externalNodeId(externalNodeId)
                .createIndex(step.index())
                .state(ended ? ClaimState.UNPUBLISHING : ClaimState.TAKEN)
                .adopted(true)
                // The node finds its mount by the key under which it made it.
                .formerVolume(use.volume().equals(volume.key()) ? null : use.volume())
                .build();
        Attachments attachments = volume.attachments();
        // The present mount counts: a row with another capability is older than the present attachment.
        boolean attachedAnew = attachments
                .on(nodeId)
                .map(row -> row.state() == AttachmentState.PUBLISHING
                        && !row.capability().equals(use.capability()))
                .orElse(true);
        if (facts.controllerNeed(volume) == ControllerNeed.REQUIRED && attachedAnew) {
            boolean readonly = facts.attachReadonly(ClaimRequest.of(volume.key(), use.mode(), use.capability()));
            attachments = attachments.with(Attachment.builder(nodeId, use.capability())
                    .externalNodeId(externalNodeId)
                    .readonly(readonly)
                    .mountOptions(volume.spec().mountOptions())
                    .createIndex(step.index())
                    .build());
        }
        Volume now = step.store(
                volume.toBuilder().claims(volume.claims().with(claim)).attachments(attachments));
        step.effect(
                ended
                        ? new Effect.ClaimReleasable(volume.key(), use.allocationId())
                        : new Effect.ClaimTaken(now, claim, attachments.on(nodeId), false));
    }
}
