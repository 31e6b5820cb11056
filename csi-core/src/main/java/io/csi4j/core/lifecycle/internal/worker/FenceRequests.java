package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Asks the host to fence nodes. Each outage of a node causes one request, even if many volumes wait for the node.
 * Thread-safe.
 */
final class FenceRequests {
    private final EnginePorts ports;
    private final Consumer<NodeId> retryRequest;
    private final Timeouts timeouts;
    /** The index of the command that set the status of each node, because of which the host was asked. */
    private final Map<NodeId, Long> asked = new HashMap<>();

    private final Map<NodeId, Cancellable> pauses = new HashMap<>();

    /**
     * Creates an object without requests, for one term of leadership.
     *
     * @param ports the services of the host
     * @param retryRequest called with a node when the backoff after a failed request has ended
     */
    FenceRequests(EnginePorts ports, Consumer<NodeId> retryRequest) {
        this.ports = ports;
        this.retryRequest = retryRequest;
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    /**
     * Returns the nodes that the host was asked to fence. Leaves out a node whose status has changed since the request.
     */
    synchronized Set<NodeId> asked(StateReader state) {
        if (asked.isEmpty()) {
            return Set.of();
        }
        Set<NodeId> valid = new HashSet<>(asked.keySet());
        valid.removeIf(nodeId -> isOutdated(state, nodeId));
        return valid;
    }

    private boolean isOutdated(StateReader state, NodeId nodeId) {
        return !state.node(nodeId).map(Node::modifyIndex).equals(Optional.ofNullable(asked.get(nodeId)));
    }

    void ask(StateReader state, NodeId nodeId, Term term) {
        long index = state.node(nodeId).map(Node::modifyIndex).orElse(-1L);
        synchronized (this) {
            if (Objects.equals(asked.put(nodeId, index), index)) {
                return;
            }
            asked.keySet().removeIf(other -> !other.equals(nodeId) && isOutdated(state, other));
        }
        CompletableFuture<Void> request = ports.host()
                .call(
                        "Fencing.fence",
                        () -> ports.fencing()
                                .fence(
                                        nodeId,
                                        "volumes are to be released on node " + nodeId + ", which does not answer"));
        Duration limit = ports.options().callTimeout();
        CompletableFuture<Void> answer = timeouts.limit(request, limit, () -> {
            ports.host().givenUp(request, limit);
            return new CsiException("the request to fence node " + nodeId + " was not accepted in time");
        });
        var unused = answer.whenComplete((taken, failure) -> {
            if (failure != null && !term.ended()) {
                retryLater(nodeId, term);
            }
        });
    }

    private synchronized void retryLater(NodeId nodeId, Term term) {
        if (term.ended()) {
            return;
        }
        Runnable again = () -> {
            synchronized (this) {
                asked.remove(nodeId);
                pauses.remove(nodeId);
            }
            if (!term.ended()) {
                retryRequest.accept(nodeId);
            }
        };
        pauses.put(
                nodeId,
                ports.timer()
                        .schedule(
                                ports.options().slowRetryBase(),
                                () -> ports.executor().execute(again)));
    }

    /** Cancels all timers at the end of the term of leadership; no request is made afterwards. */
    synchronized void close() {
        pauses.values().forEach(Cancellable::cancel);
        pauses.clear();
    }
}
