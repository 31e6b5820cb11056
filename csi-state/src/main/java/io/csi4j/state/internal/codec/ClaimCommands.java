package io.csi4j.state.internal.codec;

import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;

/** The commands for claims and attachments. */
final class ClaimCommands implements ClaimCommand.Cases<Command.Builder>, AttachmentCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    ClaimCommands(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder takeClaims(ClaimCommand.TakeClaims command) {
        CommandProto.TakeClaims.Builder row = CommandProto.TakeClaims.newBuilder()
                .setAllocationId(command.allocationId().value());
        command.requests().forEach(request -> row.addRequests(request(request)));
        return Command.newBuilder().setTakeClaims(row);
    }

    ClaimCommand takeClaims(CommandProto.TakeClaims row, Instant at) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(row.getAllocationId()),
                row.getRequestsList().stream().map(this::request).toList(),
                at);
    }

    private CommandProto.ClaimRequest request(ClaimRequest request) {
        CommandProto.ClaimRequest.Builder row = CommandProto.ClaimRequest.newBuilder()
                .setKey(key(request.volume()))
                .setMode(request.mode().name())
                .setCapability(Parts.capability(request.capability()));
        if (!request.mountOptions().withoutFlags().isEmpty()) {
            row.setMountOptions(Parts.mountOptions(request.mountOptions()));
        }
        if (!request.mountOptions().mountFlags().isEmpty()) {
            StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder()
                    .addClaims(StateProto.Claim.newBuilder().setMountOptions(Parts.mountFlags(request.mountOptions())));
            confidential
                    .hideAny(request.volume(), ConfidentialParts.TAKE_CLAIMS, values)
                    .ifPresent(row::setConfidential);
        }
        return row.build();
    }

    private ClaimRequest request(CommandProto.ClaimRequest row) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.TAKE_CLAIMS, row.hasConfidential(), row.getConfidential());
        ValuesProto.MountOptions flags =
                hidden.getClaimsCount() == 0 ? null : hidden.getClaims(0).getMountOptions();
        return new ClaimRequest(
                key,
                Parts.name(ClaimMode.class, "mode", row.getMode()),
                Parts.capability(row.getCapability()),
                Values.mountOptions(VolumeFromProto.merged(row.getMountOptions(), flags)));
    }

    @Override
    public Command.Builder checkpointClaim(ClaimCommand.CheckpointClaim command) {
        CommandProto.CheckpointClaim.Builder row = CommandProto.CheckpointClaim.newBuilder()
                .setKey(key(command.key()))
                .setAllocationId(command.allocationId().value())
                .setIfTakenIndex(command.ifTakenIndex())
                .setState(command.state().name());
        return Command.newBuilder().setCheckpointClaim(row);
    }

    @Override
    public Command.Builder freeClaim(ClaimCommand.FreeClaim command) {
        return Command.newBuilder()
                .setFreeClaim(CommandProto.FreeClaim.newBuilder()
                        .setKey(key(command.key()))
                        .setAllocationId(command.allocationId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static ClaimCommand freeClaim(CommandProto.FreeClaim row, Instant at) {
        return new ClaimCommand.FreeClaim(
                key(row.getKey()), AllocationId.of(row.getAllocationId()), row.getIfCreateIndex(), at);
    }

    @Override
    public Command.Builder overrideClaim(ClaimCommand.OverrideClaim command) {
        return Command.newBuilder()
                .setOverrideClaim(CommandProto.OverrideClaim.newBuilder()
                        .setKey(key(command.key()))
                        .setAllocationId(command.allocationId().value())
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    static ClaimCommand overrideClaim(CommandProto.OverrideClaim row, Instant at) {
        return new ClaimCommand.OverrideClaim(
                key(row.getKey()),
                AllocationId.of(row.getAllocationId()),
                row.getIfCreateIndex(),
                row.getOperator(),
                row.getReason(),
                at);
    }

    @Override
    public Command.Builder adoptUses(ClaimCommand.AdoptUses command) {
        CommandProto.AdoptUses.Builder row = CommandProto.AdoptUses.newBuilder()
                .setKey(key(command.key()))
                .setNodeId(command.nodeId().value());
        command.uses().forEach(use -> row.addUses(Rows.use(use)));
        return Command.newBuilder().setAdoptUses(row);
    }

    static ClaimCommand adoptUses(CommandProto.AdoptUses row, Instant at) {
        return new ClaimCommand.AdoptUses(
                key(row.getKey()), NodeId.of(row.getNodeId()), Rows.uses(row.getUsesList()), at);
    }

    @Override
    public Command.Builder recordPublished(AttachmentCommand.RecordPublished command) {
        CommandProto.RecordPublished.Builder row = CommandProto.RecordPublished.newBuilder()
                .setKey(key(command.key()))
                .setNodeId(command.nodeId().value())
                .setIfCreateIndex(command.ifCreateIndex());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        if (!command.publishContext().isEmpty()) {
            values.addAttachments(StateProto.Attachment.newBuilder()
                    .addAllPublishContext(
                            Values.entries(command.publishContext().asMap())));
        }
        confidential
                .hideAny(command.key(), ConfidentialParts.RECORD_PUBLISHED, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRecordPublished(row);
    }

    AttachmentCommand recordPublished(CommandProto.RecordPublished row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.RECORD_PUBLISHED, row.hasConfidential(), row.getConfidential());
        PublishContext context = hidden.getAttachmentsCount() == 0
                ? PublishContext.empty()
                : PublishContext.of(Values.entries(hidden.getAttachments(0).getPublishContextList()));
        return new AttachmentCommand.RecordPublished(
                key, NodeId.of(row.getNodeId()), row.getIfCreateIndex(), context, at);
    }

    @Override
    public Command.Builder recordUnpublishing(AttachmentCommand.RecordUnpublishing command) {
        return Command.newBuilder()
                .setRecordUnpublishing(CommandProto.RecordUnpublishing.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static AttachmentCommand recordUnpublishing(CommandProto.RecordUnpublishing row, Instant at) {
        return new AttachmentCommand.RecordUnpublishing(
                key(row.getKey()), NodeId.of(row.getNodeId()), row.getIfCreateIndex(), at);
    }

    @Override
    public Command.Builder recordOrphan(AttachmentCommand.RecordOrphan command) {
        return Command.newBuilder()
                .setRecordOrphan(CommandProto.RecordOrphan.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setExternalNodeId(command.externalNodeId().value())
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    static AttachmentCommand recordOrphan(CommandProto.RecordOrphan row, Instant at) {
        return new AttachmentCommand.RecordOrphan(
                key(row.getKey()),
                NodeId.of(row.getNodeId()),
                ExternalNodeId.of(row.getExternalNodeId()),
                row.getIfModifyIndex(),
                at);
    }

    @Override
    public Command.Builder removeAttachment(AttachmentCommand.RemoveAttachment command) {
        return Command.newBuilder()
                .setRemoveAttachment(CommandProto.RemoveAttachment.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static AttachmentCommand removeAttachment(CommandProto.RemoveAttachment row, Instant at) {
        return new AttachmentCommand.RemoveAttachment(
                key(row.getKey()), NodeId.of(row.getNodeId()), row.getIfCreateIndex(), at);
    }

    @Override
    public Command.Builder overrideAttachment(AttachmentCommand.OverrideAttachment command) {
        return Command.newBuilder()
                .setOverrideAttachment(CommandProto.OverrideAttachment.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    static AttachmentCommand overrideAttachment(CommandProto.OverrideAttachment row, Instant at) {
        return new AttachmentCommand.OverrideAttachment(
                key(row.getKey()),
                NodeId.of(row.getNodeId()),
                row.getIfCreateIndex(),
                row.getOperator(),
                row.getReason(),
                at);
    }
}
