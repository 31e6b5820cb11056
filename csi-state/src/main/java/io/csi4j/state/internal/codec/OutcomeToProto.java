package io.csi4j.state.internal.codec;

import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import org.jspecify.annotations.Nullable;

/** Writes outcomes. Their confidential values pass through the cipher. */
public final class OutcomeToProto {
    private final ConfidentialParts confidential;
    private final VolumeToProto volumes;
    private final RejectionToProto rejections;

    public OutcomeToProto(@Nullable SecretsCipher cipher) {
        this.confidential = new ConfidentialParts(cipher);
        this.volumes = new VolumeToProto(cipher);
        this.rejections = new RejectionToProto(confidential);
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

    private CommandProto.Effect effect(Effect effect) {
        CommandProto.Effect.Builder row = CommandProto.Effect.newBuilder();
        if (effect instanceof Effect.VolumeStored stored) {
            row.setVolumeStored(CommandProto.VolumeStored.newBuilder()
                    .setVolume(volumes.volume(stored.volume()))
                    .setCreated(stored.created()));
        } else if (effect instanceof Effect.VolumeRemoved removed) {
            row.setVolumeRemoved(CommandProto.VolumeRemoved.newBuilder()
                    .setKey(CommandPartsToProto.key(removed.key()))
                    .addAllForgottenClaims(CommandPartsToProto.holders(removed.forgottenClaims()))
                    .addAllForgottenAttachments(CommandPartsToProto.nodes(removed.forgottenAttachments())));
        } else if (effect instanceof Effect.ClaimTaken taken) {
            row.setClaimTaken(taken(taken));
        } else if (effect instanceof Effect.ClaimReleasable releasable) {
            row.setClaimReleasable(CommandProto.ClaimReleasable.newBuilder()
                    .setKey(CommandPartsToProto.key(releasable.key()))
                    .setAllocationId(releasable.allocationId().value()));
        } else if (effect instanceof Effect.ClaimFreed freed) {
            row.setClaimFreed(CommandProto.ClaimFreed.newBuilder()
                    .setKey(CommandPartsToProto.key(freed.key()))
                    .setAllocationId(freed.allocationId().value())
                    .setNodeId(freed.nodeId().value()));
        } else if (effect instanceof Effect.NodeRemoved removed) {
            row.setNodeRemoved(CommandProto.NodeRemoved.newBuilder()
                    .setNodeId(removed.nodeId().value()));
        } else if (effect instanceof Effect.PluginRemoved removed) {
            row.setPluginRemoved(CommandProto.PluginRemoved.newBuilder()
                    .setPluginId(removed.pluginId().value()));
        } else {
            throw new IllegalStateException(
                    "no encoding for " + effect.getClass().getName());
        }
        return row.build();
    }

    private CommandProto.ClaimTaken taken(Effect.ClaimTaken taken) {
        CommandProto.ClaimTaken.Builder row = CommandProto.ClaimTaken.newBuilder()
                .setVolume(volumes.volume(taken.volume()))
                .setClaim(VolumePartsToProto.claim(taken.claim()))
                .setAlreadyHeld(taken.alreadyHeld());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumePartsToProto.addConfidential(taken.claim(), values);
        taken.attachment().ifPresent(attachment -> {
            row.setAttachment(VolumePartsToProto.attachment(attachment));
            VolumePartsToProto.addConfidential(attachment, values);
        });
        confidential
                .hideAny(taken.volume().key(), ConfidentialParts.CLAIM_TAKEN, values)
                .ifPresent(row::setConfidential);
        return row.build();
    }
}
