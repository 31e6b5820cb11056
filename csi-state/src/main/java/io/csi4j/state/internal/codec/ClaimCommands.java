package io.csi4j.state.internal.codec;

import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;

/** The commands for claims and attachments. */
final class ClaimCommands implements ClaimCommand.Cases<Command.Builder>, AttachmentCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;
    private final ClaimRequests requests;

    ClaimCommands(ConfidentialParts confidential) {
        this.confidential = confidential;
        this.requests = new ClaimRequests(confidential);
    }

    @Override
    public Command.Builder takeClaims(ClaimCommand.TakeClaims command) {
        return Command.newBuilder()
                .setTakeClaims(CommandProto.TakeClaims.newBuilder()
                        .setAllocationId(command.allocationId().value())
                        .addAllRequests(requests.requests(command.requests()))
                        .setIfRequestedAt(command.ifRequestedAt()));
    }

    ClaimCommand takeClaims(CommandProto.TakeClaims row, Instant at) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(row.getAllocationId()),
                requests.read(row.getRequestsList()),
                row.getIfRequestedAt(),
                at);
    }

    @Override
    public Command.Builder requestClaims(ClaimCommand.RequestClaims command) {
        return Command.newBuilder()
                .setRequestClaims(CommandProto.RequestClaims.newBuilder()
                        .setAllocationId(command.allocationId().value())
                        .addAllRequests(requests.requests(command.requests())));
    }

    ClaimCommand requestClaims(CommandProto.RequestClaims row, Instant at) {
        return new ClaimCommand.RequestClaims(
                AllocationId.of(row.getAllocationId()), requests.read(row.getRequestsList()), at);
    }

    @Override
    public Command.Builder withdrawClaims(ClaimCommand.WithdrawClaims command) {
        return Command.newBuilder()
                .setWithdrawClaims(CommandProto.WithdrawClaims.newBuilder()
                        .setAllocationId(command.allocationId().value()));
    }

    static ClaimCommand withdrawClaims(CommandProto.WithdrawClaims row, Instant at) {
        return new ClaimCommand.WithdrawClaims(AllocationId.of(row.getAllocationId()), at);
    }

    @Override
    public Command.Builder refuseClaims(ClaimCommand.RefuseClaims command) {
        return Command.newBuilder()
                .setRefuseClaims(CommandProto.RefuseClaims.newBuilder()
                        .setAllocationId(command.key().allocationId().value())
                        .setCreateIndex(command.key().createIndex()));
    }

    static ClaimCommand refuseClaims(CommandProto.RefuseClaims row, Instant at) {
        return new ClaimCommand.RefuseClaims(
                new RequestedClaims.Key(AllocationId.of(row.getAllocationId()), row.getCreateIndex()), at);
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
