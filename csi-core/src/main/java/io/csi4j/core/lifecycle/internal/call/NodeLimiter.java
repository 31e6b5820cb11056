package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Limits the number of calls in flight to each node's agent, so that a hung agent delays only its own node and is not
 * flooded with calls when it responds again. A node without calls needs no memory. Thread-safe.
 */
public final class NodeLimiter {
    private final Map<NodeId, AdaptiveLimiter> limiters = new HashMap<>();
    private final int max;
    private final Executor executor;

    public NodeLimiter(int max, Executor executor) {
        this.max = max;
        this.executor = executor;
    }

    /** Waits for a permit to call a node. Calls of one kind get permits in the order of their requests. */
    public CompletableFuture<CallPermit> acquire(NodeId nodeId, CallKind kind) {
        synchronized (limiters) {
            return limiters.computeIfAbsent(nodeId, id -> new AdaptiveLimiter(max, executor))
                    .acquire(kind);
        }
    }

    /**
     * Frees the permit of a call that has ended. The limit of a node is fixed, so the outcome of the call does not
     * matter.
     */
    public void release(NodeId nodeId, CallPermit permit) {
        permit.close();
        synchronized (limiters) {
            AdaptiveLimiter limiter = limiters.get(nodeId);
            if (limiter != null && limiter.inFlight() == 0 && limiter.waiting() == 0) {
                limiters.remove(nodeId);
            }
        }
    }

    /** Returns the number of nodes with calls in flight. */
    public int size() {
        synchronized (limiters) {
            return limiters.size();
        }
    }
}
