package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * Requests that the host fences a node, that is, keeps the node from reaching the storage. A request proves nothing;
 * the host confirms the fencing by a {@link io.csi4j.core.command.NodeCommand.FenceNode} command.
 */
@FunctionalInterface
public interface Fencing {
    /**
     * Requests to fence a node. The engine may repeat a request before the host has confirmed the fencing.
     *
     * @param reason the reason for an operator
     * @return a future that completes when the host has accepted the request. If the future fails, the engine repeats
     *     the request later
     */
    CompletableFuture<Void> fence(NodeId nodeId, String reason);

    /** Returns an implementation that ignores requests, for a host that fences nodes on its own. */
    static Fencing byHost() {
        return (nodeId, reason) -> CompletableFuture.completedFuture(null);
    }
}
