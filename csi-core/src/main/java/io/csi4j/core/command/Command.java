package io.csi4j.core.command;

import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import java.time.Instant;

/**
 * A proposed change of the state. Its result depends only on the state and on the command: times, ids and random
 * numbers are part of the command. Applying a command twice has the same effect as applying it once. Immutable.
 */
public sealed interface Command
        permits VolumeCommand,
                CallCommand,
                ChangeCommand,
                ClaimCommand,
                AttachmentCommand,
                NodeCommand,
                AllocationCommand,
                PluginCommand,
                LeftoverCommand,
                WithdrawnCreationCommand,
                AccessTokenCommand,
                VolumeClassCommand,
                QuotaCommand,
                PluginProfileCommand,
                OwnerCommand,
                SnapshotCommand,
                Batch {
    /** Returns the time when the command was proposed, by the clock of the server that proposed it. */
    Instant at();
}
