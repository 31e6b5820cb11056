package io.csi4j.testkit.sim;

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
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The way from one life of the server to the nodes. */
final class SimGateway implements NodeGateway {
    private final SimWorld world;
    private final SimProcess process;
    private final CallsInFlight calls;
    private final Planted planted;

    SimGateway(SimWorld world, SimProcess process, Planted planted) {
        this.planted = planted;
        this.world = world;
        this.process = process;
        this.calls = new CallsInFlight(world);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return new SimController(world, process, calls, instance).service(planted);
    }

    @Override
    public CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request) {
        return planted.skipsNodeStep()
                ? CompletableFuture.completedFuture(null)
                : planted.forgiving(true, step(nodeId, request), null);
    }

    private CompletableFuture<Void> step(NodeId nodeId, NodeDetach request) {
        SimNode node = world.node(nodeId);
        String subject = request.volume().volumeId() + " of " + request.allocationId();
        SimCall<Void> call = new SimCall<>(world, process, Rpc.NODE_UNPUBLISH_VOLUME, nodeId.value(), subject);
        calls.track("node service on " + nodeId + " for " + request.volume(), call.answer());
        if (node == null || !node.answers()) {
            call.fail(StatusCode.UNAVAILABLE, SimCall.DEADLINE);
            return call.answer();
        }
        intended(nodeId, request);
        call.run(
                () -> {
                    if (!node.begin(request.volume())) {
                        throw new SimCall.Refusal(StatusCode.ABORTED);
                    }
                },
                () -> {
                    if (!node.answers()) {
                        throw new SimCall.Refusal(StatusCode.UNAVAILABLE);
                    }
                    node.mounts().remove(new SimNode.Mount(request.volume(), request.allocationId()));
                    return null;
                },
                () -> node.end(request.volume()));
        return call.answer();
    }

    /** Nothing is unmounted that the log does not say is to be unmounted (I5). */
    private void intended(NodeId nodeId, NodeDetach request) {
        Optional<Claim> claim = world.store()
                .snapshot()
                .volume(request.volume())
                .flatMap(volume -> volume.claims().get(request.allocationId()));
        if (claim.isEmpty() || claim.get().state() == ClaimState.TAKEN) {
            world.violated("I5: a node step for " + request.allocationId() + " on " + nodeId + " while its claim is "
                    + claim.map(c -> c.state().name()).orElse("not there"));
        }
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("the simulation has no group controller");
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        throw new UnsupportedOperationException("the simulation expands nothing");
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("the simulation has no statistics");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("the simulation looks at no volume's health");
    }
}
