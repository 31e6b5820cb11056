package io.csi4j.testkit.sim;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeLook;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Plugins and agents that do at once what they are told. */
final class InstantGateway implements NodeGateway {
    @Override
    public ControllerService controller(InstanceKey instance) {
        return (ControllerService) Proxy.newProxyInstance(
                InstantGateway.class.getClassLoader(),
                new Class<?>[] {ControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "controllerPublishVolume" ->
                        done(ControllerPublishVolumeResponse.builder()
                                .publishContext(PublishContext.of(Map.of("device", "/dev/sdb")))
                                .build());
                    case "controllerUnpublishVolume" -> done(ControllerUnpublishVolumeResponse.of());
                    case "validateVolumeCapabilities" -> confirmed((ValidateVolumeCapabilitiesRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static CompletableFuture<ValidateVolumeCapabilitiesResponse> confirmed(
            ValidateVolumeCapabilitiesRequest request) {
        return done(ValidateVolumeCapabilitiesResponse.builder()
                .confirmed(new ValidateVolumeCapabilitiesResponse.Confirmed(
                        request.volumeContext(),
                        request.volumeCapabilities(),
                        request.parameters(),
                        request.mutableParameters()))
                .build());
    }

    private static <R> CompletableFuture<R> done(R answer) {
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("groupController");
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        throw new UnsupportedOperationException("expand");
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("volumeStats");
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request) {
        throw new UnsupportedOperationException("volumeHealth");
    }
}
