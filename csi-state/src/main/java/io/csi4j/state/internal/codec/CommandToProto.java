package io.csi4j.state.internal.codec;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import org.jspecify.annotations.Nullable;

/** Writes commands. Their confidential values pass through the cipher. */
public final class CommandToProto {
    private final VolumeCommandsToProto volumes;
    private final ChangeCommandsToProto changes;
    private final ClaimCommandsToProto claims;
    private final ClusterCommandsToProto cluster;

    public CommandToProto(@Nullable SecretsCipher cipher) {
        ConfidentialParts confidential = new ConfidentialParts(cipher);
        this.volumes = new VolumeCommandsToProto(confidential);
        this.changes = new ChangeCommandsToProto(confidential);
        this.claims = new ClaimCommandsToProto(confidential);
        this.cluster = new ClusterCommandsToProto();
    }

    public CommandProto.Command command(Command command) {
        return kind(command).setAt(PartsToProto.time(command.at())).build();
    }

    private CommandProto.Command.Builder kind(Command command) {
        if (command instanceof ClaimCommand claim) {
            return claim.accept(claims);
        } else if (command instanceof AttachmentCommand attachment) {
            return attachment.accept(claims);
        } else if (command instanceof AllocationCommand allocation) {
            return allocation.accept(cluster);
        } else if (command instanceof VolumeCommand volume) {
            return volume.accept(volumes);
        } else if (command instanceof CallCommand call) {
            return CallCommandsToProto.command(call);
        } else if (command instanceof ChangeCommand change) {
            return change.accept(changes);
        } else if (command instanceof PluginCommand plugin) {
            return plugin.accept(cluster);
        } else if (command instanceof NodeCommand node) {
            return node.accept(cluster);
        } else if (command instanceof LeftoverCommand leftover) {
            return leftover.accept(new LeftoverCommandsToProto());
        } else if (command instanceof WithdrawnCreationCommand withdrawn) {
            return withdrawn.accept(new WithdrawnCreationCommandsToProto());
        } else if (command instanceof Batch batch) {
            CommandProto.Batch.Builder row = CommandProto.Batch.newBuilder();
            batch.commands().forEach(one -> row.addCommands(command(one)));
            return CommandProto.Command.newBuilder().setBatch(row);
        }
        throw new IllegalStateException("no encoding for " + command.getClass().getName());
    }
}
