package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A gateway that the test controls. If the test has planned a response for an RPC, a call gets that response. All other
 * calls go to the script, which lets a {@link FakeProvider} respond at once unless the test replaces it. A call of the
 * script that detaches in the wrong order, or concurrently with another call for the same volume, fails the test at
 * once.
 */
final class HandGateway implements NodeGateway {
    /** The answers of nodes that are asked for their ledgers; a node without one does not answer. */
    final Map<NodeId, LedgerReport> ledgers = new ConcurrentHashMap<>();

    /** Answers a question for the ledger of a node. */
    Function<NodeId, CompletableFuture<LedgerReport>> ledgerAnswers = nodeId -> {
        LedgerReport report = ledgers.get(nodeId);
        return report == null
                ? CompletableFuture.failedFuture(new CsiException("node " + nodeId + " does not answer"))
                : CompletableFuture.completedFuture(report);
    };

    /** The calls of the script that have no response yet. */
    final List<HandCall> open = new ArrayList<>();
    /** Whether the gateway breaks its contract and returns null instead of a future. */
    boolean answersNull;
    /** Answers a question for the report of a node. */
    Function<NodeId, CompletableFuture<NodeReport>> reports =
            node -> CompletableFuture.completedFuture(new NodeReport(List.of()));
    /** Answers the question for the connection of an agent. */
    Function<NodeId, Optional<AgentConnection>> connection = node -> Optional.empty();
    /** The last order of each node to finish an unmount without its plugin. */
    final Map<NodeId, NodeForget> forgets = new ConcurrentHashMap<>();
    /** Handles a call; returns false to leave the call without a response. */
    Function<HandCall, Boolean> script;

    private final FakeProvider provider;
    private final List<HandCall> calls = new ArrayList<>();
    private final Map<Rpc, Deque<Function<HandCall, CompletableFuture<?>>>> planned = new EnumMap<>(Rpc.class);
    private final List<CompletableFuture<?>> hanging = new ArrayList<>();
    private final Map<String, Integer> callsAt = new HashMap<>();
    private int inFlight;
    private int maxInFlight;

    HandGateway(FakeProvider provider) {
        this.provider = provider;
        answer();
    }

    /** Returns all calls in the order in which they were made. */
    List<HandCall> calls() {
        return calls;
    }

    /** Returns all calls in their order, as text. */
    List<String> made() {
        return calls.stream().map(HandCall::toString).toList();
    }

    List<Rpc> rpcs() {
        return calls.stream().map(HandCall::rpc).toList();
    }

    List<Object> requests(Rpc rpc) {
        return calls.stream()
                .filter(call -> call.rpc() == rpc)
                .map(HandCall::request)
                .toList();
    }

    <T> T request(Rpc rpc, Class<T> type) {
        List<Object> requests = requests(rpc);
        return type.cast(requests.get(requests.size() - 1));
    }

    /** Returns the futures of calls that have not been completed. */
    List<CompletableFuture<?>> hanging() {
        return hanging;
    }

    int maxInFlight() {
        return maxInFlight;
    }

    /** The next call fails with this code and takes no effect. */
    HandGateway fail(Rpc rpc, StatusCode code) {
        return plan(rpc, call -> CompletableFuture.failedFuture(failure(rpc, code)));
    }

    /** Drops the planned answers of an RPC that no call has used. */
    void forgetPlanned(Rpc rpc) {
        planned.remove(rpc);
    }

    /** The next call takes effect, and its response is lost. */
    HandGateway lose(Rpc rpc, StatusCode code) {
        return plan(rpc, call -> {
            var unused = provider.answer(call);
            return CompletableFuture.failedFuture(failure(rpc, code));
        });
    }

    /** The next call takes no effect and never ends. */
    HandGateway hang(Rpc rpc) {
        return plan(rpc, call -> new CompletableFuture<>());
    }

    /** The next call gets this response. */
    HandGateway answer(Rpc rpc, Function<Object, Object> answer) {
        return plan(rpc, call -> CompletableFuture.completedFuture(answer.apply(call.request())));
    }

    HandGateway plan(Rpc rpc, Function<HandCall, CompletableFuture<?>> behaviour) {
        planned.computeIfAbsent(rpc, key -> new ArrayDeque<>()).add(behaviour);
        return this;
    }

    static CsiCallException failure(Rpc rpc, StatusCode code) {
        return new CsiCallException(
                rpc, "p", null, code, CallOutcome.of(rpc, code, true), rpc.csiName() + " failed with " + code, null);
    }

    void leaveOpen() {
        script = call -> false;
    }

    void answer() {
        script = call -> {
            call.succeed();
            return true;
        };
    }

    void failAll(StatusCode code) {
        script = call -> {
            call.fail(code);
            return true;
        };
    }

    HandCall only() {
        assertThat(open).hasSize(1);
        return open.remove(0);
    }

    /** Returns and removes the open calls of a server that has crashed. The plugins may still process them. */
    List<HandCall> abandon() {
        List<HandCall> left = List.copyOf(open);
        open.clear();
        callsAt.clear();
        return left;
    }

    private CompletableFuture<?> arrive(Rpc rpc, NodeId node, Object request) {
        HandCall call = new HandCall(rpc, node, request, provider);
        calls.add(call);
        if (answersNull) {
            return null;
        }
        inFlight++;
        maxInFlight = Math.max(maxInFlight, inFlight);
        Optional<Function<HandCall, CompletableFuture<?>>> behaviour = Optional.ofNullable(
                planned.computeIfAbsent(rpc, key -> new ArrayDeque<>()).poll());
        CompletableFuture<?> answer = behaviour.isPresent() ? behaviour.get().apply(call) : scripted(call);
        CompletableFuture<?> reported = answer.whenComplete((value, failure) -> inFlight--);
        if (!reported.isDone()) {
            hanging.add(reported);
        }
        return reported;
    }

    private CompletableFuture<?> scripted(HandCall call) {
        Optional<String> location = call.location();
        location.ifPresent(busy -> assertThat(callsAt.merge(busy, 1, Integer::sum))
                .as("I4: one call at a time for %s, the last call is %s", busy, call)
                .isEqualTo(1));
        provider.checkOrder(call);
        CompletableFuture<Object> ended =
                call.answer.whenComplete((answer, failure) -> location.ifPresent(callsAt::remove));
        if (!script.apply(call)) {
            open.add(call);
        }
        return ended;
    }

    private <S> S service(Class<S> type, InstanceKey instance) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Rpc rpc = Arrays.stream(Rpc.values())
                            .filter(candidate -> candidate.csiName().equalsIgnoreCase(method.getName()))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("unexpected call of " + method));
                    return arrive(rpc, instance.nodeId(), arguments[0]);
                }));
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return service(ControllerService.class, instance);
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        return service(GroupControllerService.class, instance);
    }

    @Override
    public MetadataPages snapshotMetadata(InstanceKey instance) {
        return new MetadataPages() {
            @Override
            @SuppressWarnings("unchecked") // the test plans the answer
            public CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(
                    GetMetadataAllocatedRequest request) {
                return arrive(Rpc.GET_METADATA_ALLOCATED, instance.nodeId(), request)
                        .thenApply(page -> (MetadataPage<GetMetadataAllocatedResponse>) page);
            }

            @Override
            @SuppressWarnings("unchecked") // the test plans the answer
            public CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request) {
                return arrive(Rpc.GET_METADATA_DELTA, instance.nodeId(), request)
                        .thenApply(page -> (MetadataPage<GetMetadataDeltaResponse>) page);
            }
        };
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        CompletableFuture<?> done = arrive(Rpc.NODE_UNPUBLISH_VOLUME, nodeId, request);
        return done == null
                ? null
                : done.thenApply(answer ->
                        answer instanceof NodeDetached detached ? detached : NodeDetached.withOthers(List.of()));
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return ledgerAnswers.apply(nodeId);
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return arrive(Rpc.NODE_EXPAND_VOLUME, nodeId, request).thenApply(NodeExpansion.class::cast);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        return arrive(Rpc.NODE_GET_VOLUME_STATS, nodeId, request).thenApply(NodeGetVolumeStatsResponse.class::cast);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        return arrive(Rpc.NODE_GET_VOLUME_HEALTH, nodeId, request).thenApply(NodeGetVolumeHealthResponse.class::cast);
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        return arrive(Rpc.NODE_GET_STORAGE_HEALTH, nodeId, request).thenApply(NodeGetStorageHealthResponse.class::cast);
    }

    @Override
    public Optional<AgentConnection> agentConnection(NodeId nodeId) {
        return connection.apply(nodeId);
    }

    @Override
    public CompletableFuture<NodeReport> report(NodeId nodeId) {
        return reports.apply(nodeId);
    }

    @Override
    public CompletableFuture<Void> forget(NodeId nodeId, NodeForget request) {
        forgets.put(nodeId, request);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return arrive(Rpc.GET_PLUGIN_INFO, nodeId, pluginId).thenApply(GetPluginInfoResponse.class::cast);
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        return arrive(Rpc.NODE_GET_INFO, nodeId, pluginId).thenApply(nothing -> null);
    }
}
