package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes what they have mounted, during one term of leadership: those that have to report their ledger, and those
 * whose report names uses that no claim represents. Records the answers. Each node has one query at a time. Thread-safe.
 */
final class LedgerQueries {
    private static final System.Logger LOG = System.getLogger(LedgerQueries.class.getName());
    private static final String CALLBACK = "NodeGateway.ledger";

    private final Operations operations;
    private final EnginePorts ports;
    private final Term term;
    private final Timeouts timeouts;
    private final Map<NodeId, Query> queries = new HashMap<>();

    LedgerQueries(Operations operations, Term term) {
        this.operations = operations;
        this.ports = operations.ports();
        this.term = term;
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    /** The queries of one node since it has its status. */
    private static final class Query {
        final Instant since;
        int attempts;
        /** Whether a call to the node has no answer yet. */
        boolean asking = true;

        @Nullable Cancellable pause;

        Query(Instant since) {
            this.since = since;
        }
    }

    /** Asks all nodes whose ledgers are not settled, unless a query runs or waits for its next attempt. */
    void request(StateReader state) {
        for (Node node : state.unsettledNodes()) {
            if (node.status() == NodeStatus.READY && begins(node)) {
                ask(node);
            }
        }
    }

    private synchronized boolean begins(Node node) {
        if (term.ended()) {
            return false;
        }
        Query known = queries.get(node.id());
        if (known != null && (known.asking || known.since.equals(node.since()))) {
            return false;
        }
        if (known != null && known.pause != null) {
            known.pause.cancel();
        }
        queries.put(node.id(), new Query(node.since()));
        return true;
    }

    private void ask(Node node) {
        Duration limit = ports.options().callTimeout();
        CompletableFuture<LedgerReport> called =
                ports.host().call(CALLBACK, () -> ports.gateway().ledger(node.id()));
        CompletableFuture<LedgerReport> answer =
                timeouts.limit(called.thenApply(report -> ports.host().required(CALLBACK, report)), limit, () -> {
                    ports.host().givenUp(called, limit);
                    return new CsiException("node " + node.id() + " did not say in time what it has mounted");
                });
        var unused = answer.thenCompose(report -> operations.submit(new NodeCommand.RecordLedger(
                        node.id(), report, node.ledger().missingSince(), operations.now())))
                .whenComplete((done, failure) -> answered(node, failure == null ? null : Futures.unwrap(failure)));
    }

    private void answered(Node node, @Nullable Throwable failure) {
        if (isAnswered(node, failure)) {
            request(operations.state());
        }
    }

    /** Handles an answer, and returns whether the node has got another status meanwhile, so that it is asked anew. */
    private synchronized boolean isAnswered(Node node, @Nullable Throwable failure) {
        Query query = queries.get(node.id());
        if (term.ended() || query == null) {
            return false;
        }
        query.asking = false;
        Optional<Node> unsettled =
                operations.state().node(node.id()).filter(now -> !now.ledger().isSettled());
        if (unsettled.isEmpty() || !unsettled.get().since().equals(query.since)) {
            queries.remove(node.id());
            return unsettled.isPresent();
        }
        query.attempts++;
        if (failure != null && query.attempts == 1) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Node " + node.id() + " has not said what it has mounted: " + Failures.textToStore(failure)
                            + ". Until it does, no volume is detached from it, and none is newly claimed. Repair the"
                            + " node or update its agent; if it is gone, report it as fenced or gone");
        }
        Duration backoff = operations
                .retryLoop()
                .backoff(failure == null ? new CsiException("its report is not settled") : failure, query.attempts);
        query.pause = ports.timer().schedule(backoff, () -> ports.executor().execute(() -> again(node.id(), query)));
        return false;
    }

    private void again(NodeId nodeId, Query query) {
        Optional<Node> node = next(nodeId, query);
        if (node.isPresent()) {
            ask(node.get());
        } else {
            request(operations.state());
        }
    }

    /** Returns the node if the query has to be repeated; otherwise removes the query. */
    private synchronized Optional<Node> next(NodeId nodeId, Query query) {
        if (term.ended() || queries.get(nodeId) != query) {
            return Optional.empty();
        }
        query.pause = null;
        Optional<Node> node = operations
                .state()
                .node(nodeId)
                .filter(now -> now.status() == NodeStatus.READY
                        && now.since().equals(query.since)
                        && !now.ledger().isSettled());
        if (node.isPresent()) {
            query.asking = true;
        } else {
            queries.remove(nodeId);
        }
        return node;
    }

    /** Cancels all timers at the end of the term of leadership; no query begins afterwards. */
    synchronized void close() {
        for (Query query : queries.values()) {
            if (query.pause != null) {
                query.pause.cancel();
            }
        }
        queries.clear();
    }
}
