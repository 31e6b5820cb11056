package io.csi4j.state.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.command.v1.CommandProto;
import java.time.Instant;
import java.util.Optional;

/** Decodes the commands about creations that were given up. */
final class WithdrawnCreationCommandsFromProto {
    private WithdrawnCreationCommandsFromProto() {}

    private static WithdrawnCreation.Key key(CommandProto.WithdrawnCreationKey key) {
        return new WithdrawnCreation.Key(PluginId.of(key.getPluginId()), key.getName());
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

    static WithdrawnCreationCommand forgetWithdrawnCreation(CommandProto.ForgetWithdrawnCreation row, Instant at) {
        return new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                key(row.getKey()), row.getIfCreateIndex(), row.getOperator(), row.getReason(), at);
    }
}
