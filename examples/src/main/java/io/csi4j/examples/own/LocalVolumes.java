package io.csi4j.examples.own;

import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumes;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Carries out the requests of the server on this node. */
final class LocalVolumes implements NodeGateway {
    private final NodeVolumes volumes;
    private final PluginRegistry plugins;

    LocalVolumes(NodeVolumes volumes, PluginRegistry plugins) {
        this.volumes = volumes;
        this.plugins = plugins;
    }

    // DOC
    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        NodeUnmount unmount = NodeUnmount.of(request);
        return volumes.unmount(unmount)
                .thenCompose(done -> volumes.uses(unmount.id()))
                .thenApply(uses -> NodeDetached.withOthers(others(uses, request)));
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return volumes.ledger();
    }
    // DOC

    private static List<VolumeUse> others(List<VolumeUse> uses, NodeDetach request) {
        return uses.stream()
                .filter(use -> !use.allocationId().equals(request.allocationId()))
                .toList();
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return volumes.expand(request);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        return volumes.stats(request);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        return volumes.health(request);
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        return volumes.storageHealth(request);
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return plugins.pluginInfo(pluginId);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        throw new UnsupportedOperationException("NodeHandlers relays the calls to controllers as bytes");
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("NodeHandlers relays the calls to controllers as bytes");
    }
}
