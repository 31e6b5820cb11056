package io.csi4j.testkit.contract;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A gateway that calls the node in this process, with one fault. */
final class PlantedGateway implements NodeGateway {
    /** The fault of the gateway. */
    enum Fault {
        NONE,
        NEVER_ANSWERED,
        NULL,
        COMPLETED_BEFORE_ANSWERED,
        SENT_TWICE,
        ANSWERS_MIXED_UP,
        SENT_LATE
    }

    private final Fault fault;
    private final Duration deadline;
    private final Map<NodeId, NodeGateway> nodes = new ConcurrentHashMap<>();
    private final List<NodeDetach> unsent = new ArrayList<>();
    private final Deque<CompletableFuture<NodeExpansion>> waiting = new ArrayDeque<>();

    PlantedGateway(Fault fault, Duration deadline) {
        this.fault = fault;
        this.deadline = deadline;
    }

    void connect(NodeId nodeId, NodeGateway node) {
        nodes.put(nodeId, node);
        for (NodeDetach request : unsent) {
            var unused = node.detach(nodeId, request);
        }
    }

    private static CsiCallException unavailable() {
        return new CsiCallException(
                Rpc.NODE_GET_INFO,
                "contract.example.com",
                null,
                StatusCode.UNAVAILABLE,
                CallOutcome.OUTCOME_UNKNOWN,
                "the node cannot be reached",
                null);
    }

    private <R> CompletableFuture<R> ask(NodeId nodeId, Function<NodeGateway, CompletableFuture<R>> request) {
        NodeGateway node = nodes.get(nodeId);
        if (node == null) {
            return CompletableFuture.failedFuture(unavailable());
        }
        CompletableFuture<R> answer = request.apply(node);
        return fault == Fault.NEVER_ANSWERED
                ? answer
                : answer.copy().orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        if (fault == Fault.SENT_LATE && !nodes.containsKey(nodeId)) {
            unsent.add(request);
        }
        CompletableFuture<NodeDetached> answer = ask(nodeId, node -> node.detach(nodeId, request));
        if (fault == Fault.COMPLETED_BEFORE_ANSWERED && nodes.containsKey(nodeId)) {
            return CompletableFuture.completedFuture(GatewayRequests.detached());
        }
        return fault == Fault.NULL
                ? answer.thenApply(detached -> detached.otherUses().isEmpty() ? null : detached)
                : answer;
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        CompletableFuture<NodeExpansion> answer = ask(nodeId, node -> node.expand(nodeId, request));
        if (fault == Fault.SENT_TWICE && request.capacityRange().requiredBytes() == 5) {
            CompletableFuture<NodeExpansion> unused = ask(nodeId, node -> node.expand(nodeId, request));
        }
        if (fault != Fault.ANSWERS_MIXED_UP) {
            return answer;
        }
        CompletableFuture<NodeExpansion> mixed = new CompletableFuture<>();
        waiting.add(mixed);
        var unused = answer.whenComplete((expansion, failure) -> {
            CompletableFuture<NodeExpansion> oldest = waiting.remove();
            if (failure == null) {
                oldest.complete(expansion);
            } else {
                oldest.completeExceptionally(
                        failure instanceof java.util.concurrent.CompletionException ? failure.getCause() : failure);
            }
        });
        return mixed;
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return ask(nodeId, node -> node.ledger(nodeId));
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return (ControllerService) Proxy.newProxyInstance(
                PlantedGateway.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> CompletableFuture.failedFuture(unavailable()));
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("the contract calls no group controller");
    }
}
