package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Lets a bounded number of calls at a time go to the agent of each node: one that hangs holds its own share and no
 * more, and is not buried when it is back. A node that nobody calls costs nothing. Safe for use by many threads.
 */
public final class NodeLimiter {
    private final Map<NodeId, AdaptiveLimiter> shares = new HashMap<>();
    private final int most;
    private final Executor executor;

    public NodeLimiter(int most, Executor executor) {
        this.most = most;
        this.executor = executor;
    }

    /** Waits for the right to make a call; those of one kind get it in the order they asked. */
    public CompletableFuture<CallPermit> acquire(NodeId nodeId, CallKind kind) {
        synchronized (shares) {
            return shares.computeIfAbsent(nodeId, id -> new AdaptiveLimiter(most, executor))
                    .acquire(kind);
        }
    }

    /** Lets the next call go. What came of this one says nothing about how many the agent can take. */
    public void release(NodeId nodeId, CallPermit permit) {
        permit.close();
        synchronized (shares) {
            AdaptiveLimiter share = shares.get(nodeId);
            if (share != null && share.inFlight() == 0 && share.waiting() == 0) {
                shares.remove(nodeId);
            }
        }
    }

    /** How many nodes are being called. */
    public int size() {
        synchronized (shares) {
            return shares.size();
        }
    }
}
