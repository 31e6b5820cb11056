package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;

/** Encodes the commands about creations that were given up. */
final class WithdrawnCreationCommandsToProto implements WithdrawnCreationCommand.Cases<Command.Builder> {
    private static CommandProto.WithdrawnCreationKey key(WithdrawnCreation.Key key) {
        return CommandProto.WithdrawnCreationKey.newBuilder()
                .setPluginId(key.pluginId().value())
                .setName(key.name())
                .build();
    }

    @Override
    public Command.Builder recordLateAnswer(WithdrawnCreationCommand.RecordLateAnswer command) {
        CommandProto.RecordLateAnswer.Builder row = CommandProto.RecordLateAnswer.newBuilder()
                .setKey(key(command.key()))
                .setIfCreateIndex(command.ifCreateIndex())
                .setLastCall(command.lastCall());
        command.externalVolumeId().map(ExternalVolumeId::value).ifPresent(row::setExternalVolumeId);
        return Command.newBuilder().setRecordLateAnswer(row);
    }

    @Override
    public Command.Builder forgetWithdrawnCreation(WithdrawnCreationCommand.ForgetWithdrawnCreation command) {
        return Command.newBuilder()
                .setForgetWithdrawnCreation(CommandProto.ForgetWithdrawnCreation.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }
}
