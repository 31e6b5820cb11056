package io.csi4j.state.internal.codec;

import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.volume.Leftover;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;

/** Encodes the commands about what forgotten volumes may have left. */
final class LeftoverCommandsToProto implements LeftoverCommand.Cases<Command.Builder> {
    private static CommandProto.LeftoverKey key(Leftover.Key key) {
        return CommandProto.LeftoverKey.newBuilder()
                .setPluginId(key.pluginId().value())
                .setExternalVolumeId(key.externalVolumeId().value())
                .build();
    }

    @Override
    public Command.Builder recordUnmounted(LeftoverCommand.RecordUnmounted command) {
        return Command.newBuilder()
                .setRecordUnmounted(CommandProto.RecordUnmounted.newBuilder()
                        .setKey(key(command.key()))
                        .setNodeId(command.nodeId().value())
                        .setAllocationId(command.allocationId().value()));
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
}
