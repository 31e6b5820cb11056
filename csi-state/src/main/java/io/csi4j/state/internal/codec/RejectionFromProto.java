package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.holders;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.nodes;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.phase;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.problems;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import java.util.Optional;

/** Reads the reasons of rejected commands. */
final class RejectionFromProto {
    private final ConfidentialParts confidential;
    private final VolumePartsFromProto parts = new VolumePartsFromProto(NoSharing.INSTANCE);

    RejectionFromProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    Rejection rejection(CommandProto.Rejection row) {
        return switch (row.getKindCase()) {
            case IN_BATCH ->
                new Rejection.InBatch(
                        row.getInBatch().getPosition(),
                        rejection(row.getInBatch().getCause()));
            case INVALID_REQUEST -> of(row.getInvalidRequest());
            case VOLUME_NOT_FOUND ->
                new Rejection.VolumeNotFound(key(row.getVolumeNotFound().getKey()));
            case VOLUME_IN_USE -> of(row.getVolumeInUse());
            case CONFLICTING_FIELDS -> of(row.getConflictingFields());
            case EXTERNAL_ID_TAKEN -> of(row.getExternalIdTaken());
            case VOLUME_CHANGED -> of(row.getVolumeChanged());
            case WRONG_PHASE -> of(row.getWrongPhase());
            case CREATION_UNFINISHED ->
                new Rejection.CreationUnfinished(key(row.getCreationUnfinished().getKey()));
            case DELETION_UNFINISHED ->
                new Rejection.DeletionUnfinished(key(row.getDeletionUnfinished().getKey()));
            case NOT_ADMITTED -> of(row.getNotAdmitted());
            case ALLOCATION_NOT_FOUND ->
                new Rejection.AllocationNotFound(
                        AllocationId.of(row.getAllocationNotFound().getAllocationId()));
            case ALLOCATION_ENDED ->
                new Rejection.AllocationEnded(
                        AllocationId.of(row.getAllocationEnded().getAllocationId()));
            case ALLOCATION_MOVED -> of(row.getAllocationMoved());
            case CLAIM_NOT_FOUND -> of(row.getClaimNotFound());
            case CLAIM_STATE_SKIPPED -> of(row.getClaimStateSkipped());
            case CLAIM_STILL_ATTACHED -> of(row.getClaimStillAttached());
            case ATTACHMENT_NOT_FOUND -> of(row.getAttachmentNotFound());
            case ATTACHMENT_IN_USE -> of(row.getAttachmentInUse());
            case WRONG_ATTACHMENT_STATE -> of(row.getWrongAttachmentState());
            case PUBLISH_CONTEXT_CHANGED -> of(row.getPublishContextChanged());
            case FINGERPRINT_OUTDATED -> of(row.getFingerprintOutdated());
            case NODE_NOT_FOUND ->
                new Rejection.NodeNotFound(NodeId.of(row.getNodeNotFound().getNodeId()));
            case NODE_LOST -> of(row.getNodeLost());
            case NODE_MACHINE_CHANGED -> of(row.getNodeMachineChanged());
            case PLUGIN_IN_USE -> of(row.getPluginInUse());
            case KIND_NOT_SET -> throw new IllegalArgumentException("a rejection names no reason");
        };
    }

    private static Rejection of(CommandProto.InvalidRequest row) {
        return new Rejection.InvalidRequest(row.getSubject(), problems(row.getProblemsList()));
    }

    private static Rejection of(CommandProto.VolumeInUse row) {
        return new Rejection.VolumeInUse(
                key(row.getKey()), holders(row.getHoldersList()), nodes(row.getAttachedOnList()));
    }

    private static Rejection of(CommandProto.ConflictingFields row) {
        return new Rejection.ConflictingFields(key(row.getKey()), problems(row.getProblemsList()));
    }

    private static Rejection of(CommandProto.ExternalIdTaken row) {
        return new Rejection.ExternalIdTaken(
                key(row.getKey()),
                PluginId.of(row.getPluginId()),
                ExternalVolumeId.of(row.getExternalVolumeId()),
                key(row.getHolder()));
    }

    private static Rejection of(CommandProto.VolumeChanged row) {
        return new Rejection.VolumeChanged(key(row.getKey()), row.getExpectedIndex(), row.getModifyIndex());
    }

    private static Rejection of(CommandProto.WrongPhase row) {
        return new Rejection.WrongPhase(
                key(row.getKey()), phase("phase", row.getPhase()), phase("wanted", row.getWanted()));
    }

    private static Rejection of(CommandProto.NotAdmitted row) {
        return new Rejection.NotAdmitted(
                key(row.getKey()), AllocationId.of(row.getAllocationId()), decision(row.getDecision()));
    }

    private static AdmissionDecision decision(CommandProto.AdmissionDecision row) {
        return switch (row.getKindCase()) {
            case ADMITTED -> new AdmissionDecision.Admitted(row.getAdmitted().getAlreadyHeld());
            case WAIT ->
                new AdmissionDecision.Wait(
                        PartsFromProto.name(
                                WaitReason.class, "reason", row.getWait().getReason()),
                        holders(row.getWait().getHoldersList()),
                        row.getWait().getDetail());
            case NEVER ->
                new AdmissionDecision.Never(
                        PartsFromProto.name(
                                NeverReason.class, "reason", row.getNever().getReason()),
                        row.getNever().getDetail());
            case KIND_NOT_SET -> throw new IllegalArgumentException("a decision is missing");
        };
    }

    private static Rejection of(CommandProto.AllocationMoved row) {
        return new Rejection.AllocationMoved(
                AllocationId.of(row.getAllocationId()), NodeId.of(row.getNodeId()), NodeId.of(row.getOtherNode()));
    }

    private static Rejection of(CommandProto.ClaimNotFound row) {
        return new Rejection.ClaimNotFound(key(row.getKey()), AllocationId.of(row.getAllocationId()));
    }

    private static Rejection of(CommandProto.ClaimStateSkipped row) {
        return new Rejection.ClaimStateSkipped(
                key(row.getKey()),
                AllocationId.of(row.getAllocationId()),
                PartsFromProto.name(ClaimState.class, "state", row.getState()),
                PartsFromProto.name(ClaimState.class, "wanted", row.getWanted()));
    }

    private Rejection of(CommandProto.ClaimStillAttached row) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.CLAIM_STILL_ATTACHED, row.hasConfidential(), row.getConfidential());
        return new Rejection.ClaimStillAttached(
                key,
                AllocationId.of(row.getAllocationId()),
                parts.attachment(VolumeFromProto.merged(
                        row.getAttachment(), hidden.getAttachmentsCount() == 0 ? null : hidden.getAttachments(0))));
    }

    private static Rejection of(CommandProto.AttachmentNotFound row) {
        return new Rejection.AttachmentNotFound(key(row.getKey()), NodeId.of(row.getNodeId()));
    }

    private static Rejection of(CommandProto.AttachmentInUse row) {
        return new Rejection.AttachmentInUse(
                key(row.getKey()), NodeId.of(row.getNodeId()), holders(row.getHoldersList()));
    }

    private static Rejection of(CommandProto.WrongAttachmentState row) {
        return new Rejection.WrongAttachmentState(
                key(row.getKey()),
                NodeId.of(row.getNodeId()),
                PartsFromProto.name(AttachmentState.class, "state", row.getState()),
                PartsFromProto.name(AttachmentState.class, "needed", row.getNeeded()));
    }

    private static Rejection of(CommandProto.PublishContextChanged row) {
        return new Rejection.PublishContextChanged(key(row.getKey()), NodeId.of(row.getNodeId()));
    }

    private static Rejection of(CommandProto.FingerprintOutdated row) {
        return new Rejection.FingerprintOutdated(NodeId.of(row.getNodeId()), row.getOrder(), row.getNewest());
    }

    private static Rejection of(CommandProto.NodeLost row) {
        return new Rejection.NodeLost(
                NodeId.of(row.getNodeId()), PartsFromProto.name(NodeStatus.class, "status", row.getStatus()));
    }

    private static Rejection of(CommandProto.NodeMachineChanged row) {
        return new Rejection.NodeMachineChanged(
                NodeId.of(row.getNodeId()),
                PluginId.of(row.getPluginId()),
                ExternalNodeId.of(row.getExpected()),
                row.hasPresent() ? Optional.of(ExternalNodeId.of(row.getPresent())) : Optional.empty());
    }

    private static Rejection of(CommandProto.PluginInUse row) {
        return new Rejection.PluginInUse(
                PluginId.of(row.getPluginId()),
                row.getInstancesList().stream()
                        .map(instance -> CommandPartsFromProto.key(instance))
                        .toList(),
                row.getDeploymentsList().stream()
                        .map(PartsFromProto::deploymentId)
                        .toList(),
                row.hasVolume() ? Optional.of(key(row.getVolume())) : Optional.empty());
    }
}
