package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.volume.Leftover;
import io.csi4j.proto.command.v1.CommandProto;
import java.time.Instant;

/** Decodes the commands about what forgotten volumes may have left. */
final class LeftoverCommandsFromProto {
    private LeftoverCommandsFromProto() {}

    private static Leftover.Key key(CommandProto.LeftoverKey key) {
        return new Leftover.Key(PluginId.of(key.getPluginId()), ExternalVolumeId.of(key.getExternalVolumeId()));
    }

    static LeftoverCommand recordUnmounted(CommandProto.RecordUnmounted row, Instant at) {
        return new LeftoverCommand.RecordUnmounted(
                key(row.getKey()), NodeId.of(row.getNodeId()), AllocationId.of(row.getAllocationId()), at);
    }

    static LeftoverCommand overrideLeftover(CommandProto.OverrideLeftover row, Instant at) {
        return new LeftoverCommand.OverrideLeftover(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }
}
