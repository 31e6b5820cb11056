package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Limits the number of calls in flight to each node's agent, so that a hung agent delays only its own node, and is not flooded
 * when it returns. A node without calls costs nothing. Thread-safe.
 */
public final class NodeLimiter {
    private final Map<NodeId, AdaptiveLimiter> shares = new HashMap<>();
    private final int most;
    private final Executor executor;

    public NodeLimiter(int most, Executor executor) {
        this.most = most;
        this.executor = executor;
    }

    /** Waits for a permit; calls of one kind get permits in order. */
    public CompletableFuture<CallPermit> acquire(NodeId nodeId, CallKind kind) {
        synchronized (shares) {
            return shares.computeIfAbsent(nodeId, id -> new AdaptiveLimiter(most, executor))
                    .acquire(kind);
        }
    }

    /** Returns a permit. The outcome of a call does not change the limit. */
    public void release(NodeId nodeId, CallPermit permit) {
        permit.close();
        synchronized (shares) {
            AdaptiveLimiter share = shares.get(nodeId);
            if (share != null && share.inFlight() == 0 && share.waiting() == 0) {
                shares.remove(nodeId);
            }
        }
    }

    /** Returns the number of nodes with calls in flight. */
    public int size() {
        synchronized (shares) {
            return shares.size();
        }
    }
}
