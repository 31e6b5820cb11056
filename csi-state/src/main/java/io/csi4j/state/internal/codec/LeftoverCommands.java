package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import java.time.Instant;
import java.util.Optional;

/** The commands about what forgotten volumes may have left, and about creations that were given up. */
final class LeftoverCommands
        implements LeftoverCommand.Cases<Command.Builder>, WithdrawnCreationCommand.Cases<Command.Builder> {

    private static CommandProto.LeftoverKey key(Leftover.Key key) {
        return CommandProto.LeftoverKey.newBuilder()
                .setPluginId(key.pluginId().value())
                .setExternalVolumeId(key.externalVolumeId().value())
                .build();
    }

    private static Leftover.Key key(CommandProto.LeftoverKey key) {
        return new Leftover.Key(PluginId.of(key.getPluginId()), ExternalVolumeId.of(key.getExternalVolumeId()));
    }

    private static WithdrawnCreation.Key key(CommandProto.WithdrawnCreationKey key) {
        return new WithdrawnCreation.Key(PluginId.of(key.getPluginId()), key.getName());
    }

    @Override
    public Command.Builder recordUnmounted(LeftoverCommand.RecordUnmounted command) {
        return Command.newBuilder()
                .setRecordUnmounted(CommandProto.RecordUnmounted.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setAllocationId(command.allocationId().value()));
    }

    static LeftoverCommand recordUnmounted(CommandProto.RecordUnmounted row, Instant at) {
        return new LeftoverCommand.RecordUnmounted(
                key(row.getKey()), NodeId.of(row.getNodeId()), AllocationId.of(row.getAllocationId()), at);
    }

    @Override
    public Command.Builder overrideLeftover(LeftoverCommand.OverrideLeftover command) {
        return Command.newBuilder()
                .setOverrideLeftover(CommandProto.OverrideLeftover.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setOperator(command.operator())
                        .setReason(command.reason()));
    }

    static LeftoverCommand overrideLeftover(CommandProto.OverrideLeftover row, Instant at) {
        return new LeftoverCommand.OverrideLeftover(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }

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

    static WithdrawnCreationCommand recordLateAnswer(CommandProto.RecordLateAnswer row, Instant at) {
        return new WithdrawnCreationCommand.RecordLateAnswer(
                key(row.getKey()),
                row.getIfCreateIndex(),
                row.getLastCall(),
                row.hasExternalVolumeId()
                        ? Optional.of(ExternalVolumeId.of(row.getExternalVolumeId()))
                        : Optional.empty(),
                at);
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

    static WithdrawnCreationCommand forgetWithdrawnCreation(CommandProto.ForgetWithdrawnCreation row, Instant at) {
        return new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }
}
