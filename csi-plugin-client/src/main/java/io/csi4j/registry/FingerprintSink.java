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
     * @return completes when the command was applied; exceptionally if the command was rejected or its outcome is unknown. The
     *     fingerprinter then sends it again, or a newer one
     */
    CompletableFuture<?> send(PluginCommand.FingerprintNode command);
}
