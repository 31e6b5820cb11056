package io.csi4j.registry;

import io.csi4j.core.command.PluginCommand;
import java.util.concurrent.CompletableFuture;

/** Brings what a node tells about its plugins to the servers. */
@FunctionalInterface
public interface FingerprintSink {
    /**
     * Sends a command to whoever keeps the state. Never blocks.
     *
     * @param command everything the node tells about its instances
     * @return completes when it was applied; exceptionally if it was refused, or if it is not known what became of it:
     *     then it, or a newer one, is sent again
     */
    CompletableFuture<?> send(PluginCommand.FingerprintNode command);
}
