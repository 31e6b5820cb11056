package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsToProto.holders;
import static io.csi4j.state.internal.codec.CommandPartsToProto.key;
import static io.csi4j.state.internal.codec.CommandPartsToProto.nodes;
import static io.csi4j.state.internal.codec.CommandPartsToProto.problems;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;

/** Writes the reasons of rejected commands. */
final class RejectionToProto {
    private final ConfidentialParts confidential;

    RejectionToProto(ConfidentialParts confidential) {
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

    private boolean attachment(Rejection rejection, CommandProto.Rejection.Builder row) {
        if (rejection instanceof Rejection.ClaimStillAttached one) {
            CommandProto.ClaimStillAttached.Builder still = CommandProto.ClaimStillAttached.newBuilder()
                    .setKey(key(one.key()))
                    .setAllocationId(one.allocationId().value())
                    .setAttachment(VolumePartsToProto.attachment(one.attachment()));
            StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
            VolumePartsToProto.addConfidential(one.attachment(), values);
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
            one.deployments().forEach(id -> use.addDeployments(PartsToProto.deploymentId(id)));
            one.volume().map(CommandPartsToProto::key).ifPresent(use::setVolume);
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
}
