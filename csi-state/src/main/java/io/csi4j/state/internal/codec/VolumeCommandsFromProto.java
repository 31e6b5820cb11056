package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsFromProto.key;
import static io.csi4j.state.internal.codec.CommandPartsFromProto.phase;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;

/** Decodes the commands that change volumes. */
final class VolumeCommandsFromProto {
    private final ConfidentialParts confidential;
    private final VolumePartsFromProto parts = new VolumePartsFromProto(NoSharing.INSTANCE);

    VolumeCommandsFromProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    VolumeCommand registerVolume(CommandProto.RegisterVolume row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.REGISTER_VOLUME, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.RegisterVolume(
                key,
                spec(row.getSpec(), hidden),
                PartsFromProto.name(VolumeOrigin.class, "origin", row.getOrigin()),
                facts(row.getFacts(), hidden),
                at);
    }

    VolumeCommand updateVolume(CommandProto.UpdateVolume row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.UPDATE_VOLUME, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.UpdateVolume(key, spec(row.getSpec(), hidden), row.getIfModifyIndex(), at);
    }

    VolumeCommand recordProviderFacts(CommandProto.RecordProviderFacts row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.RECORD_PROVIDER_FACTS, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.RecordProviderFacts(key, facts(row.getFacts(), hidden), row.getIfCreateIndex(), at);
    }

    private VolumeSpec spec(StateProto.VolumeSpec row, StateProto.Confidential hidden) {
        return parts.spec(
                VolumeFromProto.merged(row, hidden.hasSpec() ? hidden.getSpec() : null), hidden.getSecretsList());
    }

    private ProviderFacts facts(StateProto.ProviderFacts row, StateProto.Confidential hidden) {
        return parts.facts(VolumeFromProto.merged(row, hidden.hasFacts() ? hidden.getFacts() : null));
    }

    static VolumeCommand setVolumePhase(CommandProto.SetVolumePhase row, Instant at) {
        return new VolumeCommand.SetVolumePhase(
                key(row.getKey()), phase("phase", row.getPhase()), row.getIfModifyIndex(), at);
    }

    static VolumeCommand deregisterVolume(CommandProto.DeregisterVolume row, Instant at) {
        return new VolumeCommand.DeregisterVolume(key(row.getKey()), row.getForce(), row.getIfModifyIndex(), at);
    }

    static VolumeCommand forgetVolume(CommandProto.ForgetVolume row, Instant at) {
        return new VolumeCommand.ForgetVolume(
                key(row.getKey()), row.getIfModifyIndex(), row.getOperator(), row.getReason(), at);
    }

    static VolumeCommand withdrawCreation(CommandProto.WithdrawCreation row, Instant at) {
        return new VolumeCommand.WithdrawCreation(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }

    static VolumeCommand markForGc(CommandProto.MarkForGc row, Instant at) {
        return new VolumeCommand.MarkForGc(key(row.getKey()), at);
    }
}
