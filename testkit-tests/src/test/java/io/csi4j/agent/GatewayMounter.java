package io.csi4j.agent;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.VolumeMounter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Passes the requests of an agent on to a gateway, which answers for the node. */
final class GatewayMounter implements VolumeMounter {
    private final NodeId nodeId;
    private final NodeGateway node;
    private volatile List<VolumeUse> others = List.of();

    GatewayMounter(NodeId nodeId, NodeGateway node) {
        this.nodeId = nodeId;
        this.node = node;
    }

    @Override
    public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        return node.detach(
                        nodeId,
                        new NodeDetach(
                                request.id().volume(),
                                request.id().pluginId(),
                                request.id().externalVolumeId(),
                                request.allocationId(),
                                request.externalNodeId(),
                                ClaimMode.WRITE,
                                Ground.WRITER,
                                MountOptions.none()))
                .thenAccept(detached -> others = detached.otherUses().orElse(List.of()));
    }

    @Override
    public CompletableFuture<List<VolumeUse>> uses(NodeVolumeId id) {
        return CompletableFuture.completedFuture(others);
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeExpand request) {
        return node.expand(nodeId, request);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(NodeVolumeQuery request) {
        return node.volumeStats(nodeId, request);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> health(NodeVolumeQuery request) {
        return node.volumeHealth(nodeId, request);
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(StorageHealthQuery request) {
        return node.storageHealth(nodeId, request);
    }

    @Override
    public CompletableFuture<LedgerReport> ledger() {
        return node.ledger(nodeId);
    }

    @Override
    public CompletableFuture<@Nullable Void> start() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<@Nullable Void> ready() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<@Nullable Void> stop() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<MountedVolume> mount(NodeMount request) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("mount"));
    }

    @Override
    public CompletableFuture<VolumeHealthReport> healthReport(NodeVolumeQuery request) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("healthReport"));
    }

    @Override
    public void pluginChanged(PluginId pluginId) {}

    @Override
    public List<VolumeKey> volumesOf(PluginId pluginId) {
        return List.of();
    }

    @Override
    public List<NodeVolumeId> volumesFor(AllocationId allocationId) {
        return List.of();
    }

    @Override
    public List<NodeVolumeStatus> volumes() {
        return List.of();
    }

    @Override
    public Optional<NodeVolumeStatus> status(VolumeKey volume) {
        return Optional.empty();
    }
}
