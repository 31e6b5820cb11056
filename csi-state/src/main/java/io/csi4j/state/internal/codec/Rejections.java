package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandParts.holders;
import static io.csi4j.state.internal.codec.CommandParts.key;
import static io.csi4j.state.internal.codec.CommandParts.nodes;
import static io.csi4j.state.internal.codec.CommandParts.phase;
import static io.csi4j.state.internal.codec.CommandParts.problems;
import static io.csi4j.values.internal.Values.key;

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
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.util.Optional;

/** The reasons of rejected commands. */
final class Rejections {
    private final ConfidentialParts confidential;
    private final VolumeParts parts = new VolumeParts(NoSharing.INSTANCE);

    Rejections(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    CommandProto.Rejection rejection(Rejection rejection) {
        CommandProto.Rejection.Builder row = CommandProto.Rejection.newBuilder();
        boolean written = volume(rejection, row)
                || claim(rejection, row)
                || attachment(rejection, row)
                || cluster(rejection, row);
        if (!written) {
            throw new IllegalStateException(
                    "no encoding for " + rejection.getClass().getName());
        }
        return row.build();
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
            case VOLUME_CLASS_CHANGED ->
                new Rejection.VolumeClassChanged(
                        VolumeClassName.of(row.getVolumeClassChanged().getName()),
                        row.getVolumeClassChanged().getExpectedIndex(),
                        row.getVolumeClassChanged().getModifyIndex());
            case SNAPSHOT_NOT_FOUND ->
                new Rejection.SnapshotNotFound(
                        Snapshots.key(row.getSnapshotNotFound().getKey()));
            case PLUGIN_PROFILE_CHANGED ->
                new Rejection.PluginProfileChanged(
                        PluginId.of(row.getPluginProfileChanged().getPluginId()),
                        row.getPluginProfileChanged().getExpectedIndex(),
                        row.getPluginProfileChanged().getModifyIndex());
            case QUOTA_CHANGED ->
                new Rejection.QuotaChanged(
                        Quotas.key(row.getQuotaChanged().getKey()),
                        row.getQuotaChanged().getExpectedIndex(),
                        row.getQuotaChanged().getModifyIndex());
            case QUOTA_EXCEEDED ->
                new Rejection.QuotaExceeded(
                        key(row.getQuotaExceeded().getKey()),
                        row.getQuotaExceeded().getExcessesList().stream()
                                .map(Quotas::excess)
                                .toList());
            case ACCESS_TOKENS_EXIST -> new Rejection.AccessTokensExist();
            case KIND_NOT_SET -> throw new IllegalArgumentException("a rejection names no reason");
        };
    }

    private boolean volume(Rejection rejection, CommandProto.Rejection.Builder row) {
        if (rejection instanceof Rejection.InvalidRequest one) {
            row.setInvalidRequest(CommandProto.InvalidRequest.newBuilder()
                    .setSubject(one.subject())
                    .addAllProblems(problems(one.problems())));
        } else if (rejection instanceof Rejection.VolumeNotFound one) {
            row.setVolumeNotFound(CommandProto.VolumeNotFound.newBuilder().setKey(key(one.key())));
        } else if (rejection instanceof Rejection.VolumeInUse one) {
            row.setVolumeInUse(CommandProto.VolumeInUse.newBuilder()
                    .setKey(key(one.key()))
                    .addAllHolders(holders(one.holders()))
                    .addAllAttachedOn(nodes(one.attachedOn())));
        } else if (rejection instanceof Rejection.ConflictingFields one) {
            row.setConflictingFields(CommandProto.ConflictingFields.newBuilder()
                    .setKey(key(one.key()))
                    .addAllProblems(problems(one.problems())));
        } else if (rejection instanceof Rejection.ExternalIdTaken one) {
            row.setExternalIdTaken(CommandProto.ExternalIdTaken.newBuilder()
                    .setKey(key(one.key()))
                    .setPluginId(one.pluginId().value())
                    .setExternalVolumeId(one.externalVolumeId().value())
                    .setHolder(key(one.holder())));
        } else if (rejection instanceof Rejection.VolumeChanged one) {
            row.setVolumeChanged(CommandProto.VolumeChanged.newBuilder()
                    .setKey(key(one.key()))
                    .setExpectedIndex(one.expectedIndex())
                    .setModifyIndex(one.modifyIndex()));
        } else if (rejection instanceof Rejection.WrongPhase one) {
            row.setWrongPhase(CommandProto.WrongPhase.newBuilder()
                    .setKey(key(one.key()))
                    .setPhase(one.phase().name())
                    .setWanted(one.wanted().name()));
        } else if (rejection instanceof Rejection.CreationUnfinished one) {
            row.setCreationUnfinished(
                    CommandProto.CreationUnfinished.newBuilder().setKey(key(one.key())));
        } else if (rejection instanceof Rejection.DeletionUnfinished one) {
            row.setDeletionUnfinished(
                    CommandProto.DeletionUnfinished.newBuilder().setKey(key(one.key())));
        } else {
            return false;
        }
        return true;
    }

    private static boolean claim(Rejection rejection, CommandProto.Rejection.Builder row) {
        if (rejection instanceof Rejection.NotAdmitted one) {
            row.setNotAdmitted(CommandProto.NotAdmitted.newBuilder()
                    .setKey(key(one.key()))
                    .setAllocationId(one.allocationId().value())
                    .setDecision(decision(one.decision())));
        } else if (rejection instanceof Rejection.AllocationNotFound one) {
            row.setAllocationNotFound(CommandProto.AllocationNotFound.newBuilder()
                    .setAllocationId(one.allocationId().value()));
        } else if (rejection instanceof Rejection.AllocationEnded one) {
            row.setAllocationEnded(CommandProto.AllocationEnded.newBuilder()
                    .setAllocationId(one.allocationId().value()));
        } else if (rejection instanceof Rejection.AllocationMoved one) {
            row.setAllocationMoved(CommandProto.AllocationMoved.newBuilder()
                    .setAllocationId(one.allocationId().value())
                    .setNodeId(one.nodeId().value())
                    .setOtherNode(one.otherNode().value()));
        } else if (rejection instanceof Rejection.ClaimNotFound one) {
            row.setClaimNotFound(CommandProto.ClaimNotFound.newBuilder()
                    .setKey(key(one.key()))
                    .setAllocationId(one.allocationId().value()));
        } else if (rejection instanceof Rejection.ClaimStateSkipped one) {
            row.setClaimStateSkipped(CommandProto.ClaimStateSkipped.newBuilder()
                    .setKey(key(one.key()))
                    .setAllocationId(one.allocationId().value())
                    .setState(one.state().name())
                    .setWanted(one.wanted().name()));
        } else {
            return false;
        }
        return true;
    }

    private static CommandProto.AdmissionDecision decision(AdmissionDecision decision) {
        CommandProto.AdmissionDecision.Builder row = CommandProto.AdmissionDecision.newBuilder();
        if (decision instanceof AdmissionDecision.Wait wait) {
            row.setWait(CommandProto.AdmissionDecision.Wait.newBuilder()
                    .setReason(wait.reason().name())
                    .addAllHolders(holders(wait.holders()))
                    .setDetail(wait.detail()));
        } else if (decision instanceof AdmissionDecision.Never never) {
            row.setNever(CommandProto.AdmissionDecision.Never.newBuilder()
                    .setReason(never.reason().name())
                    .setDetail(never.detail()));
        } else if (decision instanceof AdmissionDecision.Admitted admitted) {
            row.setAdmitted(
                    CommandProto.AdmissionDecision.Admitted.newBuilder().setAlreadyHeld(admitted.alreadyHeld()));
        }
        return row.build();
    }

    private static AdmissionDecision decision(CommandProto.AdmissionDecision row) {
        return switch (row.getKindCase()) {
            case ADMITTED -> new AdmissionDecision.Admitted(row.getAdmitted().getAlreadyHeld());
            case WAIT ->
                new AdmissionDecision.Wait(
                        Parts.name(WaitReason.class, "reason", row.getWait().getReason()),
                        holders(row.getWait().getHoldersList()),
                        row.getWait().getDetail());
            case NEVER ->
                new AdmissionDecision.Never(
                        Parts.name(NeverReason.class, "reason", row.getNever().getReason()),
                        row.getNever().getDetail());
            case KIND_NOT_SET -> throw new IllegalArgumentException("a decision is missing");
        };
    }

    private boolean attachment(Rejection rejection, CommandProto.Rejection.Builder row) {
        if (rejection instanceof Rejection.ClaimStillAttached one) {
            CommandProto.ClaimStillAttached.Builder still = CommandProto.ClaimStillAttached.newBuilder()
                    .setKey(key(one.key()))
                    .setAllocationId(one.allocationId().value())
                    .setAttachment(VolumeParts.attachment(one.attachment()));
            StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
            VolumeParts.addConfidential(one.attachment(), values);
            confidential
                    .hideAny(one.key(), ConfidentialParts.CLAIM_STILL_ATTACHED, values)
                    .ifPresent(still::setConfidential);
            row.setClaimStillAttached(still);
        } else if (rejection instanceof Rejection.AttachmentNotFound one) {
            row.setAttachmentNotFound(CommandProto.AttachmentNotFound.newBuilder()
                    .setKey(key(one.key()))
                    .setNodeId(one.nodeId().value()));
        } else if (rejection instanceof Rejection.AttachmentInUse one) {
            row.setAttachmentInUse(CommandProto.AttachmentInUse.newBuilder()
                    .setKey(key(one.key()))
                    .setNodeId(one.nodeId().value())
                    .addAllHolders(holders(one.holders())));
        } else if (rejection instanceof Rejection.WrongAttachmentState one) {
            row.setWrongAttachmentState(CommandProto.WrongAttachmentState.newBuilder()
                    .setKey(key(one.key()))
                    .setNodeId(one.nodeId().value())
                    .setState(one.state().name())
                    .setNeeded(one.needed().name()));
        } else if (rejection instanceof Rejection.PublishContextChanged one) {
            row.setPublishContextChanged(CommandProto.PublishContextChanged.newBuilder()
                    .setKey(key(one.key()))
                    .setNodeId(one.nodeId().value()));
        } else {
            return false;
        }
        return true;
    }

    private boolean cluster(Rejection rejection, CommandProto.Rejection.Builder row) {
        if (rejection instanceof Rejection.FingerprintOutdated one) {
            row.setFingerprintOutdated(CommandProto.FingerprintOutdated.newBuilder()
                    .setNodeId(one.nodeId().value())
                    .setOrder(one.order())
                    .setNewest(one.newest()));
        } else if (rejection instanceof Rejection.AccessTokensExist) {
            row.setAccessTokensExist(CommandProto.AccessTokensExist.getDefaultInstance());
        } else if (rejection instanceof Rejection.VolumeClassChanged one) {
            row.setVolumeClassChanged(CommandProto.VolumeClassChanged.newBuilder()
                    .setName(one.name().value())
                    .setExpectedIndex(one.expectedIndex())
                    .setModifyIndex(one.modifyIndex()));
        } else if (rejection instanceof Rejection.SnapshotNotFound one) {
            row.setSnapshotNotFound(CommandProto.SnapshotNotFound.newBuilder().setKey(Snapshots.key(one.key())));
        } else if (rejection instanceof Rejection.PluginProfileChanged one) {
            row.setPluginProfileChanged(CommandProto.PluginProfileChanged.newBuilder()
                    .setPluginId(one.pluginId().value())
                    .setExpectedIndex(one.expectedIndex())
                    .setModifyIndex(one.modifyIndex()));
        } else if (rejection instanceof Rejection.QuotaChanged one) {
            row.setQuotaChanged(CommandProto.QuotaChanged.newBuilder()
                    .setKey(Quotas.key(one.key()))
                    .setExpectedIndex(one.expectedIndex())
                    .setModifyIndex(one.modifyIndex()));
        } else if (rejection instanceof Rejection.QuotaExceeded one) {
            row.setQuotaExceeded(CommandProto.QuotaExceeded.newBuilder()
                    .setKey(key(one.key()))
                    .addAllExcesses(one.excesses().stream().map(Quotas::excess).toList()));
        } else if (rejection instanceof Rejection.NodeNotFound one) {
            row.setNodeNotFound(CommandProto.NodeNotFound.newBuilder()
                    .setNodeId(one.nodeId().value()));
        } else if (rejection instanceof Rejection.NodeLost one) {
            row.setNodeLost(CommandProto.NodeLost.newBuilder()
                    .setNodeId(one.nodeId().value())
                    .setStatus(one.status().name()));
        } else if (rejection instanceof Rejection.NodeMachineChanged one) {
            CommandProto.NodeMachineChanged.Builder changed = CommandProto.NodeMachineChanged.newBuilder()
                    .setNodeId(one.nodeId().value())
                    .setPluginId(one.pluginId().value())
                    .setExpected(one.expected().value());
            one.present().map(ExternalNodeId::value).ifPresent(changed::setPresent);
            row.setNodeMachineChanged(changed);
        } else if (rejection instanceof Rejection.PluginInUse one) {
            CommandProto.PluginInUse.Builder use = CommandProto.PluginInUse.newBuilder()
                    .setPluginId(one.pluginId().value());
            one.instances().forEach(instance -> use.addInstances(key(instance)));
            one.deployments().forEach(id -> use.addDeployments(Parts.deploymentId(id)));
            one.volume().map(Values::key).ifPresent(use::setVolume);
            row.setPluginInUse(use);
        } else if (rejection instanceof Rejection.InBatch one) {
            row.setInBatch(CommandProto.InBatch.newBuilder()
                    .setPosition(one.position())
                    .setCause(rejection(one.cause())));
        } else {
            return false;
        }
        return true;
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
                Parts.name(ClaimState.class, "state", row.getState()),
                Parts.name(ClaimState.class, "wanted", row.getWanted()));
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
                Parts.name(AttachmentState.class, "state", row.getState()),
                Parts.name(AttachmentState.class, "needed", row.getNeeded()));
    }

    private static Rejection of(CommandProto.PublishContextChanged row) {
        return new Rejection.PublishContextChanged(key(row.getKey()), NodeId.of(row.getNodeId()));
    }

    private static Rejection of(CommandProto.FingerprintOutdated row) {
        return new Rejection.FingerprintOutdated(NodeId.of(row.getNodeId()), row.getOrder(), row.getNewest());
    }

    private static Rejection of(CommandProto.NodeLost row) {
        return new Rejection.NodeLost(
                NodeId.of(row.getNodeId()), Parts.name(NodeStatus.class, "status", row.getStatus()));
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
                        .map(instance -> CommandParts.key(instance))
                        .toList(),
                row.getDeploymentsList().stream().map(Parts::deploymentId).toList(),
                row.hasVolume() ? Optional.of(key(row.getVolume())) : Optional.empty());
    }
}
