package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;

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
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;

/** Reads commands for claims and attachments. */
final class ClaimCommandsFromProto {
    private final ConfidentialParts confidential;

    ClaimCommandsFromProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    ClaimCommand takeClaims(CommandProto.TakeClaims row, Instant at) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(row.getAllocationId()),
                row.getRequestsList().stream().map(this::request).toList(),
                at);
    }

    private ClaimRequest request(CommandProto.ClaimRequest row) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.TAKE_CLAIMS, row.hasConfidential(), row.getConfidential());
        StateProto.MountOptions flags =
                hidden.getClaimsCount() == 0 ? null : hidden.getClaims(0).getMountOptions();
        return new ClaimRequest(
                key,
                PartsFromProto.name(ClaimMode.class, "mode", row.getMode()),
                PartsFromProto.capability(row.getCapability()),
                PartsFromProto.mountOptions(VolumeFromProto.merged(row.getMountOptions(), flags)));
    }

    static ClaimCommand freeClaim(CommandProto.FreeClaim row, Instant at) {
        return new ClaimCommand.FreeClaim(
                key(row.getKey()), AllocationId.of(row.getAllocationId()), row.getIfCreateIndex(), at);
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

    static ClaimCommand adoptUses(CommandProto.AdoptUses row, Instant at) {
        return new ClaimCommand.AdoptUses(
                key(row.getKey()), NodeId.of(row.getNodeId()), RowsFromProto.uses(row.getUsesList()), at);
    }

    AttachmentCommand recordPublished(CommandProto.RecordPublished row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.RECORD_PUBLISHED, row.hasConfidential(), row.getConfidential());
        PublishContext context = hidden.getAttachmentsCount() == 0
                ? PublishContext.empty()
                : PublishContext.of(
                        PartsFromProto.entries(hidden.getAttachments(0).getPublishContextList()));
        return new AttachmentCommand.RecordPublished(
                key, NodeId.of(row.getNodeId()), row.getIfCreateIndex(), context, at);
    }

    static AttachmentCommand recordUnpublishing(CommandProto.RecordUnpublishing row, Instant at) {
        return new AttachmentCommand.RecordUnpublishing(
                key(row.getKey()), NodeId.of(row.getNodeId()), row.getIfCreateIndex(), at);
    }

    static AttachmentCommand recordOrphan(CommandProto.RecordOrphan row, Instant at) {
        return new AttachmentCommand.RecordOrphan(
                key(row.getKey()),
                NodeId.of(row.getNodeId()),
                ExternalNodeId.of(row.getExternalNodeId()),
                row.getIfModifyIndex(),
                at);
    }

    static AttachmentCommand removeAttachment(CommandProto.RemoveAttachment row, Instant at) {
        return new AttachmentCommand.RemoveAttachment(
                key(row.getKey()), NodeId.of(row.getNodeId()), row.getIfCreateIndex(), at);
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
