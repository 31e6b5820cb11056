package io.csi4j.state.internal.codec;

import static io.csi4j.state.internal.codec.CommandPartsToProto.key;

import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;

/** Encodes the commands that change volumes. */
final class VolumeCommandsToProto implements VolumeCommand.Cases<Command.Builder> {
    private final ConfidentialParts confidential;

    VolumeCommandsToProto(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    @Override
    public Command.Builder registerVolume(VolumeCommand.RegisterVolume command) {
        CommandProto.RegisterVolume.Builder row = CommandProto.RegisterVolume.newBuilder()
                .setKey(key(command.key()))
                .setSpec(VolumePartsToProto.spec(command.spec()))
                .setOrigin(command.origin().name())
                .setFacts(VolumePartsToProto.facts(command.facts()));
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumePartsToProto.addConfidential(command.spec(), values);
        VolumePartsToProto.addConfidential(command.facts(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.REGISTER_VOLUME, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRegisterVolume(row);
    }

    @Override
    public Command.Builder updateVolume(VolumeCommand.UpdateVolume command) {
        CommandProto.UpdateVolume.Builder row = CommandProto.UpdateVolume.newBuilder()
                .setKey(key(command.key()))
                .setSpec(VolumePartsToProto.spec(command.spec()))
                .setIfModifyIndex(command.ifModifyIndex());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumePartsToProto.addConfidential(command.spec(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.UPDATE_VOLUME, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setUpdateVolume(row);
    }

    @Override
    public Command.Builder recordProviderFacts(VolumeCommand.RecordProviderFacts command) {
        CommandProto.RecordProviderFacts.Builder row = CommandProto.RecordProviderFacts.newBuilder()
                .setKey(key(command.key()))
                .setFacts(VolumePartsToProto.facts(command.facts()))
                .setIfCreateIndex(command.ifCreateIndex());
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        VolumePartsToProto.addConfidential(command.facts(), values);
        confidential
                .hideAny(command.key(), ConfidentialParts.RECORD_PROVIDER_FACTS, values)
                .ifPresent(row::setConfidential);
        return Command.newBuilder().setRecordProviderFacts(row);
    }

    @Override
    public Command.Builder setVolumePhase(VolumeCommand.SetVolumePhase command) {
        return Command.newBuilder()
                .setSetVolumePhase(CommandProto.SetVolumePhase.newBuilder()
                        .setKey(key(command.key()))
                        .setPhase(command.phase().name())
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    @Override
    public Command.Builder deregisterVolume(VolumeCommand.DeregisterVolume command) {
        return Command.newBuilder()
                .setDeregisterVolume(CommandProto.DeregisterVolume.newBuilder()
                        .setKey(key(command.key()))
                        .setForce(command.force())
                        .setIfModifyIndex(command.ifModifyIndex()));
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

    @Override
    public Command.Builder withdrawCreation(VolumeCommand.WithdrawCreation command) {
        return Command.newBuilder()
                .setWithdrawCreation(CommandProto.WithdrawCreation.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    @Override
    public Command.Builder markForGc(VolumeCommand.MarkForGc command) {
        return Command.newBuilder()
                .setMarkForGc(CommandProto.MarkForGc.newBuilder().setKey(key(command.key())));
    }
}
