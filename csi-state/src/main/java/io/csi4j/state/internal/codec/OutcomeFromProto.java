package io.csi4j.state.internal.codec;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Volume;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads outcomes. Throws the exceptions of {@link CommandFromProto}. */
public final class OutcomeFromProto {
    private final @Nullable SecretsCipher cipher;
    private final ConfidentialParts confidential;
    private final VolumePartsFromProto parts = new VolumePartsFromProto(NoSharing.INSTANCE);
    private final RejectionFromProto rejections;

    public OutcomeFromProto(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
        this.confidential = new ConfidentialParts(cipher);
        this.rejections = new RejectionFromProto(confidential);
    }

    /** Reads an outcome. Throws an {@link IOException} if the bytes of a part are not a valid message. */
    public Outcome outcome(CommandProto.Outcome row) throws IOException {
        return switch (row.getKindCase()) {
            case ACCEPTED -> {
                List<Effect> effects = new ArrayList<>(row.getAccepted().getEffectsCount());
                for (CommandProto.Effect effect : row.getAccepted().getEffectsList()) {
                    effects.add(effect(effect));
                }
                yield new Outcome.Accepted(row.getAccepted().getChanged(), effects);
            }
            case REJECTED -> new Outcome.Rejected(rejections.rejection(row.getRejected()));
            case KIND_NOT_SET -> throw new IllegalArgumentException("it names no outcome");
        };
    }

    private Effect effect(CommandProto.Effect row) throws IOException {
        return switch (row.getKindCase()) {
            case VOLUME_STORED ->
                new Effect.VolumeStored(
                        volume(row.getVolumeStored().getVolume()),
                        row.getVolumeStored().getCreated());
            case VOLUME_REMOVED -> removed(row.getVolumeRemoved());
            case CLAIM_TAKEN -> taken(row.getClaimTaken());
            case CLAIM_RELEASABLE ->
                new Effect.ClaimReleasable(
                        CommandPartsFromProto.key(row.getClaimReleasable().getKey()),
                        AllocationId.of(row.getClaimReleasable().getAllocationId()));
            case CLAIM_FREED ->
                new Effect.ClaimFreed(
                        CommandPartsFromProto.key(row.getClaimFreed().getKey()),
                        AllocationId.of(row.getClaimFreed().getAllocationId()),
                        NodeId.of(row.getClaimFreed().getNodeId()));
            case NODE_REMOVED ->
                new Effect.NodeRemoved(NodeId.of(row.getNodeRemoved().getNodeId()));
            case PLUGIN_REMOVED ->
                new Effect.PluginRemoved(PluginId.of(row.getPluginRemoved().getPluginId()));
            case KIND_NOT_SET -> throw new IllegalArgumentException("an effect has no kind");
        };
    }

    private static Effect removed(CommandProto.VolumeRemoved row) {
        return new Effect.VolumeRemoved(
                CommandPartsFromProto.key(row.getKey()),
                CommandPartsFromProto.holders(row.getForgottenClaimsList()),
                CommandPartsFromProto.nodes(row.getForgottenAttachmentsList()));
    }

    private Effect taken(CommandProto.ClaimTaken row) throws IOException {
        Volume volume = volume(row.getVolume());
        StateProto.Confidential hidden = confidential.revealAny(
                volume.key(), ConfidentialParts.CLAIM_TAKEN, row.hasConfidential(), row.getConfidential());
        StateProto.Claim claim = hidden.getClaimsCount() == 0 ? null : hidden.getClaims(0);
        StateProto.Attachment attachment = hidden.getAttachmentsCount() == 0 ? null : hidden.getAttachments(0);
        return new Effect.ClaimTaken(
                volume,
                parts.claim(VolumeFromProto.merged(row.getClaim(), claim)),
                row.hasAttachment()
                        ? Optional.of(parts.attachment(VolumeFromProto.merged(row.getAttachment(), attachment)))
                        : Optional.empty(),
                row.getAlreadyHeld());
    }

    private Volume volume(StateProto.Volume row) throws IOException {
        return VolumeFromProto.ofFew(cipher).volume(StateProto.VolumeOutline.parseFrom(row.toByteString()));
    }
}
