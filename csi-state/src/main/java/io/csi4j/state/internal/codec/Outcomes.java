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
import io.csi4j.values.internal.Values;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Outcomes. Their confidential values pass through the cipher. Reading throws the exceptions of {@link Commands}. */
public final class Outcomes {
    private final @Nullable SecretsCipher cipher;
    private final ConfidentialParts confidential;
    private final VolumeToProto volumes;
    private final VolumeParts parts = new VolumeParts(NoSharing.INSTANCE);
    private final Rejections rejections;
    private final Snapshots snapshots;

    public Outcomes(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
        this.confidential = new ConfidentialParts(cipher);
        this.volumes = new VolumeToProto(cipher);
        this.rejections = new Rejections(confidential);
        this.snapshots = new Snapshots(confidential);
    }

    public CommandProto.Outcome outcome(Outcome outcome) {
        return outcome.fold(
                accepted -> {
                    CommandProto.Accepted.Builder row =
                            CommandProto.Accepted.newBuilder().setChanged(accepted.changed());
                    accepted.effects().forEach(effect -> row.addEffects(effect(effect)));
                    return CommandProto.Outcome.newBuilder().setAccepted(row).build();
                },
                rejected -> CommandProto.Outcome.newBuilder()
                        .setRejected(rejections.rejection(rejected.reason()))
                        .build());
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

    private CommandProto.Effect effect(Effect effect) {
        CommandProto.Effect.Builder row = CommandProto.Effect.newBuilder();
        if (effect instanceof Effect.VolumeStored stored) {
            row.setVolumeStored(CommandProto.VolumeStored.newBuilder()
                    .setVolume(volumes.volume(stored.volume()))
                    .setCreated(stored.created()));
        } else if (effect instanceof Effect.VolumeRemoved removed) {
            row.setVolumeRemoved(CommandProto.VolumeRemoved.newBuilder()
                    .setKey(Values.key(removed.key()))
                    .addAllForgottenClaims(CommandParts.holders(removed.forgottenClaims()))
                    .addAllForgottenAttachments(CommandParts.nodes(removed.forgottenAttachments())));
        } else if (effect instanceof Effect.DeletionBegun begun) {
            row.setDeletionBegun(CommandProto.DeletionBegun.newBuilder().setKey(Values.key(begun.key())));
        } else if (effect instanceof Effect.ClaimTaken taken) {
            row.setClaimTaken(taken(taken));
        } else if (effect instanceof Effect.ClaimReleasable releasable) {
            row.setClaimReleasable(CommandProto.ClaimReleasable.newBuilder()
                    .setKey(Values.key(releasable.key()))
                    .setAllocationId(releasable.allocationId().value()));
        } else if (effect instanceof Effect.ClaimFreed freed) {
            row.setClaimFreed(CommandProto.ClaimFreed.newBuilder()
                    .setKey(Values.key(freed.key()))
                    .setAllocationId(freed.allocationId().value())
                    .setNodeId(freed.nodeId().value()));
        } else if (effect instanceof Effect.NodeRemoved removed) {
            row.setNodeRemoved(CommandProto.NodeRemoved.newBuilder()
                    .setNodeId(removed.nodeId().value()));
        } else if (effect instanceof Effect.PluginRemoved removed) {
            row.setPluginRemoved(CommandProto.PluginRemoved.newBuilder()
                    .setPluginId(removed.pluginId().value()));
        } else if (effect instanceof Effect.SnapshotStored stored) {
            row.setSnapshotStored(CommandProto.SnapshotStored.newBuilder()
                    .setSnapshot(snapshots.snapshot(stored.snapshot(), ConfidentialParts.SNAPSHOT_STORED)));
        } else if (effect instanceof Effect.QuotaOverrun over) {
            row.setQuotaOverrun(CommandProto.QuotaOverrun.newBuilder()
                    .setKey(Values.key(over.key()))
                    .setExcess(Quotas.excess(over.excess())));
        } else {
            throw new IllegalStateException(
                    "no encoding for " + effect.getClass().getName());
        }
        return row.build();
    }

    private Effect effect(CommandProto.Effect row) throws IOException {
        return switch (row.getKindCase()) {
            case VOLUME_STORED ->
                new Effect.VolumeStored(
                        volume(row.getVolumeStored().getVolume()),
                        row.getVolumeStored().getCreated());
            case VOLUME_REMOVED -> removed(row.getVolumeRemoved());
            case DELETION_BEGUN ->
                new Effect.DeletionBegun(Values.key(row.getDeletionBegun().getKey()));
            case CLAIM_TAKEN -> taken(row.getClaimTaken());
            case CLAIM_RELEASABLE ->
                new Effect.ClaimReleasable(
                        Values.key(row.getClaimReleasable().getKey()),
                        AllocationId.of(row.getClaimReleasable().getAllocationId()));
            case CLAIM_FREED ->
                new Effect.ClaimFreed(
                        Values.key(row.getClaimFreed().getKey()),
                        AllocationId.of(row.getClaimFreed().getAllocationId()),
                        NodeId.of(row.getClaimFreed().getNodeId()));
            case NODE_REMOVED ->
                new Effect.NodeRemoved(NodeId.of(row.getNodeRemoved().getNodeId()));
            case PLUGIN_REMOVED ->
                new Effect.PluginRemoved(PluginId.of(row.getPluginRemoved().getPluginId()));
            case SNAPSHOT_STORED ->
                new Effect.SnapshotStored(
                        snapshots.snapshot(row.getSnapshotStored().getSnapshot(), ConfidentialParts.SNAPSHOT_STORED));
            case QUOTA_OVERRUN ->
                new Effect.QuotaOverrun(
                        Values.key(row.getQuotaOverrun().getKey()),
                        Quotas.excess(row.getQuotaOverrun().getExcess()));
            case KIND_NOT_SET -> throw new IllegalArgumentException("an effect has no kind");
        };
    }

    private CommandProto.ClaimTaken taken(Effect.ClaimTaken taken) {
        CommandProto.ClaimTaken.Builder row = CommandProto.ClaimTaken.newBuilder()
                .setVolume(volumes.volume(taken.volume()))
                .setClaim(VolumeParts.claim(taken.claim()))
                .setAlreadyHeld(taken.alreadyHeld());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumeParts.addConfidential(taken.claim(), values);
        taken.attachment().ifPresent(attachment -> {
            row.setAttachment(VolumeParts.attachment(attachment));
            VolumeParts.addConfidential(attachment, values);
        });
        confidential
                .hideAny(taken.volume().key(), ConfidentialParts.CLAIM_TAKEN, values)
                .ifPresent(row::setConfidential);
        return row.build();
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

    private static Effect removed(CommandProto.VolumeRemoved row) {
        return new Effect.VolumeRemoved(
                Values.key(row.getKey()),
                CommandParts.holders(row.getForgottenClaimsList()),
                CommandParts.nodes(row.getForgottenAttachmentsList()));
    }

    private Volume volume(StateProto.Volume row) throws IOException {
        return VolumeFromProto.ofFew(cipher).volume(StateProto.VolumeOutline.parseFrom(row.toByteString()));
    }
}
