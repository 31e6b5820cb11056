package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the host to fence a node, that is, to keep the node from reaching the storage. A request does not prove that the
 * node is fenced; the host confirms the fencing by a {@link io.csi4j.core.internal.command.NodeCommand.FenceNode} command.
 */
@FunctionalInterface
public interface Fencing {
    /**
     * Asks the host to fence a node. The engine may send a request again before the host has confirmed the fencing.
     *
     * @param reason the cause of the request, as text for operators
     * @return a future that completes when the host has accepted the request. If the future fails, the engine sends the
     *     request again later
     */
    CompletableFuture<Void> fence(NodeId nodeId, String reason);

    /** Returns an implementation that ignores requests, for a host that decides itself which nodes it fences. */
    static Fencing byHost() {
        return (nodeId, reason) -> CompletableFuture.completedFuture(null);
    }
}
