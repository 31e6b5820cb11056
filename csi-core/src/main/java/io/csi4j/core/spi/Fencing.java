package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the host to make sure that nothing on a node can reach storage any more. The proof comes later,
 * as a {@link io.csi4j.core.command.NodeCommand.FenceNode} of the host, and only that counts (N2).
 */
@FunctionalInterface
public interface Fencing {
    /**
     * Asks to fence a node. It may be asked for again while it is under way.
     *
     * @param reason why, for an operator
     * @return completes once the host took the request, which proves nothing yet; exceptionally if it did not, then it
     *     is asked again later
     */
    CompletableFuture<Void> fence(NodeId nodeId, String reason);

    /**
     * A host that fences of its own accord and takes no requests.
     *
     * @return takes every request and does nothing about it
     */
    static Fencing byHost() {
        return (nodeId, reason) -> CompletableFuture.completedFuture(null);
    }
}
