package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsToProto.key;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;

/** Writes commands for claims and attachments. */
final class ClaimCommandsToProto
        implements ClaimCommand.Cases<Command.Builder>, AttachmentCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    ClaimCommandsToProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder takeClaims(ClaimCommand.TakeClaims command) {
        CommandProto.TakeClaims.Builder row = CommandProto.TakeClaims.newBuilder()
                .setAllocationId(command.allocationId().value());
        command.requests().forEach(request -> row.addRequests(request(request)));
        return Command.newBuilder().setTakeClaims(row);
    }

    private CommandProto.ClaimRequest request(ClaimRequest request) {
        CommandProto.ClaimRequest.Builder row = CommandProto.ClaimRequest.newBuilder()
                .setKey(key(request.volume()))
                .setMode(request.mode().name())
                .setCapability(PartsToProto.capability(request.capability()));
        if (!request.mountOptions().withoutFlags().isEmpty()) {
            row.setMountOptions(PartsToProto.mountOptions(request.mountOptions()));
        }
        if (!request.mountOptions().mountFlags().isEmpty()) {
            StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder()
                    .addClaims(StateProto.Claim.newBuilder()
                            .setMountOptions(PartsToProto.mountFlags(request.mountOptions())));
            confidential
                    .hideAny(request.volume(), ConfidentialParts.TAKE_CLAIMS, values)
                    .ifPresent(row::setConfidential);
        }
        return row.build();
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

    @Override
    public Command.Builder adoptUses(ClaimCommand.AdoptUses command) {
        CommandProto.AdoptUses.Builder row = CommandProto.AdoptUses.newBuilder()
                .setKey(key(command.key()))
                .setNodeId(command.nodeId().value());
        command.uses().forEach(use -> row.addUses(RowsToProto.use(use)));
        return Command.newBuilder().setAdoptUses(row);
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
                            PartsToProto.entries(command.publishContext().asMap())));
        }
        confidential
                .hideAny(command.key(), ConfidentialParts.RECORD_PUBLISHED, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRecordPublished(row);
    }

    @Override
    public Command.Builder recordUnpublishing(AttachmentCommand.RecordUnpublishing command) {
        return Command.newBuilder()
                .setRecordUnpublishing(CommandProto.RecordUnpublishing.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
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

    @Override
    public Command.Builder removeAttachment(AttachmentCommand.RemoveAttachment command) {
        return Command.newBuilder()
                .setRemoveAttachment(CommandProto.RemoveAttachment.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setIfCreateIndex(command.ifCreateIndex()));
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
}
