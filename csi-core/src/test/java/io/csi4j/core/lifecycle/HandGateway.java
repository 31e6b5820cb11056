package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeLook;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A cluster of plugins by hand. It keeps what is attached and mounted, fails a test at once for a call in
 * the wrong order or beside another, and answers each call at once unless the test wants otherwise.
 */
final class HandGateway implements NodeGateway {
    /** One call that was made. */
    static final class Call {
        final String what;
        final CompletableFuture<Object> answer = new CompletableFuture<>();
        private final Runnable effect;
        private final Object result;

        Call(String what, Runnable effect, Object result) {
            this.what = what;
            this.effect = effect;
            this.result = result;
        }

        void takeEffect() {
            effect.run();
        }

        void succeed() {
            effect.run();
            answer.complete(result);
        }

        /** The effect is there, and nobody hears of it. */
        void loseAnswer() {
            effect.run();
            fail(StatusCode.UNAVAILABLE);
        }

        void fail(StatusCode code) {
            Rpc rpc = what.startsWith("detach")
                    ? Rpc.NODE_UNPUBLISH_VOLUME
                    : what.startsWith("publish") ? Rpc.CONTROLLER_PUBLISH_VOLUME : Rpc.CONTROLLER_UNPUBLISH_VOLUME;
            answer.completeExceptionally(new CsiCallException(
                    rpc, "p", null, code, CallOutcome.of(rpc, code, false), what + " gave " + code, null));
        }

        @Override
        public String toString() {
            return what;
        }
    }

    /** All calls, in order. */
    final List<String> made = new ArrayList<>();
    /** Those that were not answered. */
    final List<Call> open = new ArrayList<>();
    /** Volume at external node. */
    final Set<String> attached = new TreeSet<>();
    /** Volume and allocation at node. */
    final Set<String> mounted = new TreeSet<>();

    private final Map<String, Integer> underWay = new HashMap<>();
    /** Breaks its contract: nothing in place of a future. */
    boolean answersNull;

    final Set<String> secretsSeen = new HashSet<>();

    /** What to do with a call; false leaves it open. */
    Function<Call, Boolean> script = call -> {
        call.succeed();
        return true;
    };

    /** The server that made them is no more: nobody waits for what is open. The plugins may still be at it. */
    List<Call> abandon() {
        List<Call> left = List.copyOf(open);
        open.clear();
        underWay.clear();
        return left;
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

    Call only() {
        assertThat(open).hasSize(1);
        return open.remove(0);
    }

    private <R> CompletableFuture<R> call(String service, Call call, Class<R> type) {
        made.add(call.what);
        if (answersNull) {
            return null;
        }
        assertThat(underWay.merge(service, 1, Integer::sum))
                .as("I4: calls at once of %s, the last being %s", service, call.what)
                .isEqualTo(1);
        CompletableFuture<Object> ended = call.answer.whenComplete((answer, failure) -> underWay.remove(service));
        if (!script.apply(call)) {
            open.add(call);
        }
        return ended.thenApply(type::cast);
    }

    private CompletableFuture<ControllerPublishVolumeResponse> publish(ControllerPublishVolumeRequest request) {
        String id = request.volumeId().value();
        String at = id + "@" + request.nodeId().value();
        request.secrets().asMap().keySet().forEach(secretsSeen::add);
        return call(
                id,
                new Call(
                        "publish " + at,
                        () -> attached.add(at),
                        ControllerPublishVolumeResponse.builder()
                                .publishContext(PublishContext.of(Map.of("device", at)))
                                .build()),
                ControllerPublishVolumeResponse.class);
    }

    private CompletableFuture<ControllerUnpublishVolumeResponse> unpublish(ControllerUnpublishVolumeRequest request) {
        String id = request.volumeId().value();
        String at = id + "@" + request.nodeId().orElseThrow().value();
        request.secrets().asMap().keySet().forEach(secretsSeen::add);
        String node = request.nodeId().orElseThrow().value().substring("ext-".length());
        assertThat(mounted)
                .as("R48: unpublish %s", at)
                .noneMatch(mount -> mount.startsWith(id + ":") && mount.endsWith("@" + node));
        return call(
                id,
                new Call("unpublish " + at, () -> attached.remove(at), ControllerUnpublishVolumeResponse.of()),
                ControllerUnpublishVolumeResponse.class);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return (ControllerService) Proxy.newProxyInstance(
                ControllerService.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" -> publish((ControllerPublishVolumeRequest) arguments[0]);
                    case "controllerUnpublishVolume" -> unpublish((ControllerUnpublishVolumeRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    /** What a node does with a grant. */
    void mount(String volume, String allocation, String node) {
        mounted.add(volume + ":" + allocation + "@" + node);
    }

    @Override
    public CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request) {
        String id = request.externalVolumeId().value();
        String mount = id + ":" + request.allocationId() + "@" + nodeId;
        CompletableFuture<String> done =
                call(id + " at " + nodeId, new Call("detach " + mount, () -> mounted.remove(mount), ""), String.class);
        return done == null ? null : done.thenApply(nothing -> null);
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("no groups here");
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        throw new UnsupportedOperationException("nothing grows here");
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("nobody looks here");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("nobody looks here");
    }
}
