package io.csi4j.core.command;

import java.time.Instant;

/**
 * A change of the state that somebody proposes. What comes of it is decided by the state and the
 * command alone: time, ids and whatever is random are in the command (I9). Repeating one is harmless
 * (I13). Immutable.
 */
public sealed interface Command
        permits VolumeCommand,
                ChangeCommand,
                ClaimCommand,
                AttachmentCommand,
                NodeCommand,
                AllocationCommand,
                PluginCommand,
                Batch {
    /**
     * When it was proposed.
     *
     * @return the time by the clock of whoever proposed it
     */
    Instant at();
}
