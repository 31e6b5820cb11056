package io.csi4j.registry;

import io.csi4j.core.command.PluginCommand;
import java.util.concurrent.CompletableFuture;

/** Sends a node's plugin reports to the servers. */
@FunctionalInterface
public interface FingerprintSink {
    /**
     * Sends a command to the servers. Never blocks.
     *
     * @param command all instances of the node
     * @return completes when the command was applied; exceptionally if it was rejected, or if its outcome is unknown: the same or a
     *     newer command is then sent again
     */
    CompletableFuture<?> send(PluginCommand.FingerprintNode command);
}
