package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.spi.NodeDetach;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One call that the engine has made. The test decides how it ends. */
final class HandCall {
    /** The future that the engine waits for. */
    final CompletableFuture<Object> answer = new CompletableFuture<>();

    private final Rpc rpc;
    private final NodeId node;
    private final Object request;
    private final FakeProvider provider;

    HandCall(Rpc rpc, NodeId node, Object request, FakeProvider provider) {
        this.rpc = rpc;
        this.node = node;
        this.request = request;
        this.provider = provider;
    }

    Rpc rpc() {
        return rpc;
    }

    /** Returns the node of the plugin instance that was called. */
    NodeId node() {
        return node;
    }

    Object request() {
        return request;
    }

    void takeEffect() {
        var unused = provider.answer(this);
    }

    void succeed() {
        var unused = provider.answer(this).whenComplete((result, failure) -> {
            if (failure == null) {
                answer.complete(result);
            } else {
                answer.completeExceptionally(failure);
            }
        });
    }

    /** The call takes effect, and its response is lost. */
    void loseAnswer() {
        takeEffect();
        fail(StatusCode.UNAVAILABLE);
    }

    void fail(StatusCode code) {
        answer.completeExceptionally(HandGateway.failure(rpc, code));
    }

    /** Where no other call may be under way: the volume at the controller, or on the node. */
    Optional<String> location() {
        if (request instanceof ControllerPublishVolumeRequest publish) {
            return Optional.of(publish.volumeId().value());
        }
        if (request instanceof ControllerUnpublishVolumeRequest unpublish) {
            return Optional.of(unpublish.volumeId().value());
        }
        return request instanceof NodeDetach detach
                ? Optional.of(detach.externalVolumeId().value() + " at " + node)
                : Optional.empty();
    }

    /** What is attached by it: a volume at an external node. */
    static String attachment(ControllerPublishVolumeRequest request) {
        return request.volumeId().value() + "@" + request.nodeId().value();
    }

    /** What is detached by it. */
    static String attachment(ControllerUnpublishVolumeRequest request) {
        return request.volumeId().value() + "@" + request.nodeId().orElseThrow().value();
    }

    /** What ends by it: a volume's use by an allocation at a node. */
    static String mount(NodeId node, NodeDetach request) {
        return request.externalVolumeId().value() + ":" + request.allocationId() + "@" + node;
    }

    @Override
    public String toString() {
        if (request instanceof ControllerPublishVolumeRequest publish) {
            return "publish " + attachment(publish);
        }
        if (request instanceof ControllerUnpublishVolumeRequest unpublish) {
            return "unpublish " + attachment(unpublish);
        }
        return request instanceof NodeDetach detach ? "detach " + mount(node, detach) : rpc.csiName();
    }
}
