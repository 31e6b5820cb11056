package io.csi4j.testkit.contract;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** The node's side of a transport: keeps the requests that arrive until the test answers them. */
final class FarNode implements NodeGateway {
    /** A request with the future of its answer. */
    record Arrived(Object request, CompletableFuture<Object> answer) {}

    final BlockingQueue<Arrived> arrivals = new LinkedBlockingQueue<>();
    private final List<Object> requests = new CopyOnWriteArrayList<>();

    /** Returns all requests that have arrived. */
    List<Object> requests() {
        return List.copyOf(requests);
    }

    private <R> CompletableFuture<R> arrived(Object request, Class<R> type) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        requests.add(request);
        arrivals.add(new Arrived(request, answer));
        return answer.thenApply(type::cast);
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        return arrived(request, NodeDetached.class);
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return arrived(request, NodeExpansion.class);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        return arrived(request, NodeGetVolumeStatsResponse.class);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        return arrived(request, NodeGetVolumeHealthResponse.class);
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        return arrived(request, NodeGetStorageHealthResponse.class);
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return arrived("ledger", LedgerReport.class);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        throw new UnsupportedOperationException("the tests call no controller of a node that is there");
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        throw new UnsupportedOperationException("the tests call no controller of a node that is there");
    }
}
