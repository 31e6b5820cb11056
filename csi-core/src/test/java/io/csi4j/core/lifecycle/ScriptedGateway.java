package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeLook;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A gateway to a {@link FakeProvider}; each call first looks for what the test planned for it. */
final class ScriptedGateway implements NodeGateway {
    private final FakeProvider provider;
    private final Map<Rpc, Deque<Function<Call, CompletableFuture<?>>>> script = new EnumMap<>(Rpc.class);
    private final List<Call> calls = new ArrayList<>();
    private final List<CompletableFuture<?>> hanging = new ArrayList<>();
    private int inFlight;
    private int mostInFlight;

    /** A call that arrived. */
    record Call(Rpc rpc, NodeId node, Object request) {}

    ScriptedGateway(FakeProvider provider) {
        this.provider = provider;
    }

    List<Call> calls() {
        return calls;
    }

    List<Object> requests(Rpc rpc) {
        return calls.stream().filter(call -> call.rpc == rpc).map(Call::request).toList();
    }

    <T> T request(Rpc rpc, Class<T> type) {
        List<Object> requests = requests(rpc);
        return type.cast(requests.get(requests.size() - 1));
    }

    List<Rpc> rpcs() {
        return calls.stream().map(Call::rpc).toList();
    }

    int mostInFlight() {
        return mostInFlight;
    }

    /** The next call fails with this code and has no effect. */
    ScriptedGateway fail(Rpc rpc, StatusCode code) {
        return plan(rpc, call -> CompletableFuture.failedFuture(failure(rpc, code)));
    }

    /** The next call takes effect, and its answer is lost. */
    ScriptedGateway lose(Rpc rpc, StatusCode code) {
        return plan(rpc, call -> {
            var unused = provider.answer(call);
            return CompletableFuture.failedFuture(failure(rpc, code));
        });
    }

    /** The next call takes no effect and never ends. */
    ScriptedGateway hang(Rpc rpc) {
        return plan(rpc, call -> new CompletableFuture<>());
    }

    /** The next call is answered so. */
    ScriptedGateway answer(Rpc rpc, Function<Object, Object> answer) {
        return plan(rpc, call -> CompletableFuture.completedFuture(answer.apply(call.request)));
    }

    ScriptedGateway plan(Rpc rpc, Function<Call, CompletableFuture<?>> behaviour) {
        script.computeIfAbsent(rpc, key -> new ArrayDeque<>()).add(behaviour);
        return this;
    }

    static CsiCallException failure(Rpc rpc, StatusCode code) {
        return new CsiCallException(
                rpc, "p", null, code, CallOutcome.of(rpc, code, true), rpc.csiName() + " failed with " + code, null);
    }

    private CompletableFuture<?> arrive(Call call) {
        calls.add(call);
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        Optional<Function<Call, CompletableFuture<?>>> planned = Optional.ofNullable(
                script.computeIfAbsent(call.rpc, key -> new ArrayDeque<>()).poll());
        CompletableFuture<?> answer = planned.<CompletableFuture<?>>map(behaviour -> behaviour.apply(call))
                .orElseGet(() -> provider.answer(call));
        CompletableFuture<?> told = answer.whenComplete((value, failure) -> inFlight--);
        if (!told.isDone()) {
            hanging.add(told);
        }
        return told;
    }

    List<CompletableFuture<?>> hanging() {
        return hanging;
    }

    private <S> S service(Class<S> type, InstanceKey instance) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Rpc rpc = Arrays.stream(Rpc.values())
                            .filter(candidate -> candidate.csiName().equalsIgnoreCase(method.getName()))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("unexpected call of " + method));
                    return arrive(new Call(rpc, instance.nodeId(), arguments[0]));
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
    public CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request) {
        return arrive(new Call(Rpc.NODE_UNPUBLISH_VOLUME, nodeId, request)).thenApply(done -> null);
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return arrive(new Call(Rpc.NODE_EXPAND_VOLUME, nodeId, request)).thenApply(NodeExpansion.class::cast);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request) {
        throw new AssertionError("unexpected call of volumeStats");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request) {
        throw new AssertionError("unexpected call of volumeHealth");
    }
}
