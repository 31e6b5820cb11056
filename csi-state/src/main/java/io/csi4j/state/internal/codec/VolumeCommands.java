package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandParts.phase;
import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;
import java.util.Optional;

/** The commands that change volumes. */
final class VolumeCommands implements VolumeCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;
    private final VolumeParts parts = new VolumeParts(NoSharing.INSTANCE);

    VolumeCommands(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder registerVolume(VolumeCommand.RegisterVolume command) {
        CommandProto.RegisterVolume.Builder row = CommandProto.RegisterVolume.newBuilder()
                .setKey(key(command.key()))
                .setSpec(VolumeParts.spec(command.spec()))
                .setOrigin(command.origin().name())
                .setFacts(VolumeParts.facts(command.facts()));
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumeParts.addConfidential(command.spec(), values);
        VolumeParts.addConfidential(command.facts(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.REGISTER_VOLUME, values)
                .ifPresent(row::setConfidential);
        command.driver().ifPresent(row::setDriver);
        return Command.newBuilder().setRegisterVolume(row);
    }

    VolumeCommand registerVolume(CommandProto.RegisterVolume row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.REGISTER_VOLUME, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.RegisterVolume(
                key,
                spec(row.getSpec(), hidden),
                Parts.name(VolumeOrigin.class, "origin", row.getOrigin()),
                facts(row.getFacts(), hidden),
                at,
                row.hasDriver() ? Optional.of(row.getDriver()) : Optional.empty());
    }

    @Override
    public Command.Builder createFromClass(VolumeCommand.CreateFromClass command) {
        return Command.newBuilder()
                .setCreateFromClass(CommandProto.CreateFromClass.newBuilder()
                        .setKey(key(command.key()))
                        .setTemplate(ClassParts.template(command.template())));
    }

    @Override
    public Command.Builder discardUnused(VolumeCommand.DiscardUnused command) {
        CommandProto.DiscardUnused.Builder row = CommandProto.DiscardUnused.newBuilder()
                .setKey(key(command.key()))
                .setIfCreateIndex(command.ifCreateIndex());
        command.refusal().map(RefusedCreations::reason).ifPresent(row::setRefusal);
        return Command.newBuilder().setDiscardUnused(row);
    }

    static VolumeCommand discardUnused(CommandProto.DiscardUnused row, Instant at) {
        return new VolumeCommand.DiscardUnused(
                key(row.getKey()),
                row.getIfCreateIndex(),
                row.hasRefusal() ? Optional.of(RefusedCreations.reason(row.getRefusal())) : Optional.empty(),
                at);
    }

    static VolumeCommand createFromClass(CommandProto.CreateFromClass row, Instant at) {
        return new VolumeCommand.CreateFromClass(key(row.getKey()), ClassParts.template(row.getTemplate()), at);
    }

    @Override
    public Command.Builder updateVolume(VolumeCommand.UpdateVolume command) {
        CommandProto.UpdateVolume.Builder row = CommandProto.UpdateVolume.newBuilder()
                .setKey(key(command.key()))
                .setSpec(VolumeParts.spec(command.spec()))
                .setIfModifyIndex(command.ifModifyIndex());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumeParts.addConfidential(command.spec(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.UPDATE_VOLUME, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setUpdateVolume(row);
    }

    VolumeCommand updateVolume(CommandProto.UpdateVolume row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.UPDATE_VOLUME, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.UpdateVolume(key, spec(row.getSpec(), hidden), row.getIfModifyIndex(), at);
    }

    @Override
    public Command.Builder recordProviderFacts(VolumeCommand.RecordProviderFacts command) {
        CommandProto.RecordProviderFacts.Builder row = CommandProto.RecordProviderFacts.newBuilder()
                .setKey(key(command.key()))
                .setFacts(VolumeParts.facts(command.facts()))
                .setIfCreateIndex(command.ifCreateIndex());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumeParts.addConfidential(command.facts(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.RECORD_PROVIDER_FACTS, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRecordProviderFacts(row);
    }

    VolumeCommand recordProviderFacts(CommandProto.RecordProviderFacts row, Instant at) {
        VolumeKey key = key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.RECORD_PROVIDER_FACTS, row.hasConfidential(), row.getConfidential());
        return new VolumeCommand.RecordProviderFacts(key, facts(row.getFacts(), hidden), row.getIfCreateIndex(), at);
    }

    @Override
    public Command.Builder setVolumePhase(VolumeCommand.SetVolumePhase command) {
        return Command.newBuilder()
                .setSetVolumePhase(CommandProto.SetVolumePhase.newBuilder()
                        .setKey(key(command.key()))
                        .setPhase(command.phase().name())
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    static VolumeCommand setVolumePhase(CommandProto.SetVolumePhase row, Instant at) {
        return new VolumeCommand.SetVolumePhase(
                key(row.getKey()), phase("phase", row.getPhase()), row.getIfModifyIndex(), at);
    }

    @Override
    public Command.Builder deregisterVolume(VolumeCommand.DeregisterVolume command) {
        CommandProto.DeregisterVolume.Builder row = CommandProto.DeregisterVolume.newBuilder()
                .setKey(key(command.key()))
                .setForce(command.force())
                .setIfModifyIndex(command.ifModifyIndex());
        command.refusal().map(RefusedCreations::reason).ifPresent(row::setRefusal);
        return Command.newBuilder().setDeregisterVolume(row);
    }

    static VolumeCommand deregisterVolume(CommandProto.DeregisterVolume row, Instant at) {
        return new VolumeCommand.DeregisterVolume(
                key(row.getKey()),
                row.getForce(),
                row.getIfModifyIndex(),
                row.hasRefusal() ? Optional.of(RefusedCreations.reason(row.getRefusal())) : Optional.empty(),
                at);
    }

    @Override
    public Command.Builder forgetVolume(VolumeCommand.ForgetVolume command) {
        return Command.newBuilder()
                .setForgetVolume(CommandProto.ForgetVolume.newBuilder()
                        .setKey(key(command.key()))
                        .setIfModifyIndex(command.ifModifyIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    static VolumeCommand forgetVolume(CommandProto.ForgetVolume row, Instant at) {
        return new VolumeCommand.ForgetVolume(
                key(row.getKey()), row.getIfModifyIndex(), row.getOperator(), row.getReason(), at);
    }

    @Override
    public Command.Builder withdrawCreation(VolumeCommand.WithdrawCreation command) {
        return Command.newBuilder()
                .setWithdrawCreation(CommandProto.WithdrawCreation.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    static VolumeCommand withdrawCreation(CommandProto.WithdrawCreation row, Instant at) {
        return new VolumeCommand.WithdrawCreation(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }

    @Override
    public Command.Builder recordVerified(VolumeCommand.RecordVerified command) {
        return Command.newBuilder()
                .setRecordVerification(CommandProto.RecordVerification.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setRestoredIndex(command.restoredIndex()));
    }

    @Override
    public Command.Builder markForGc(VolumeCommand.MarkForGc command) {
        return Command.newBuilder()
                .setMarkForGc(CommandProto.MarkForGc.newBuilder().setKey(key(command.key())));
    }

    static VolumeCommand markForGc(CommandProto.MarkForGc row, Instant at) {
        return new VolumeCommand.MarkForGc(key(row.getKey()), at);
    }

    private VolumeSpec spec(StateProto.VolumeSpec row, StateProto.Confidential hidden) {
        return parts.spec(
                VolumeFromProto.merged(row, hidden.hasSpec() ? hidden.getSpec() : null), hidden.getSecretsList());
    }

    private ProviderFacts facts(StateProto.ProviderFacts row, StateProto.Confidential hidden) {
        return parts.facts(VolumeFromProto.merged(row, hidden.hasFacts() ? hidden.getFacts() : null));
    }
}
