package io.csi4j.examples.own;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CallRelay;
import io.csi4j.client.RelayedCall;
import io.csi4j.client.RelayedServices;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
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
import io.csi4j.node.transport.RelayedRequest;
import io.csi4j.node.transport.TransportCodec;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The server's side of the RPC: calls the nodes over HTTP. Each method sends one request, and never repeats it. */
public final class HttpNodeGateway implements NodeGateway {
    private static final byte[] EMPTY = {};

    private final HttpRpc rpc = new HttpRpc();
    private final Map<NodeId, URI> nodes;
    private final Duration deadline;
    private final Function<InstanceKey, Capabilities> capabilities;

    /**
     * Creates the gateway, without a connection.
     *
     * @param nodes the addresses of the nodes
     * @param deadline the longest time of a request
     * @param capabilities the capabilities of a plugin instance, from the state
     */
    public HttpNodeGateway(
            Map<NodeId, URI> nodes, Duration deadline, Function<InstanceKey, Capabilities> capabilities) {
        this.nodes = nodes;
        this.deadline = deadline;
        this.capabilities = capabilities;
    }

    // DOC
    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        return send(nodeId, "detach", TransportCodec.DETACH.encode(request), TransportCodec.DETACHED);
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return send(nodeId, "ledger", EMPTY, TransportCodec.LEDGER);
    }

    private <R> CompletableFuture<R> send(NodeId nodeId, String path, byte[] request, TransportCodec<R> answer) {
        return send(nodeId, path, request, deadline).thenApply(answer::decode);
    }

    private CompletableFuture<byte[]> send(NodeId nodeId, String path, byte[] request, Duration limit) {
        URI node = nodes.get(nodeId);
        return node == null
                ? CompletableFuture.failedFuture(HttpRpc.unavailable("the address of node " + nodeId + " is not known"))
                : rpc.call(node.resolve("/node/" + path), request, limit);
    }
    // DOC

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return send(nodeId, "expand", TransportCodec.EXPAND.encode(request), TransportCodec.EXPANSION);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        return send(nodeId, "stats", TransportCodec.VOLUME_QUERY.encode(request), TransportCodec.VOLUME_STATS);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        return send(nodeId, "health", TransportCodec.VOLUME_QUERY.encode(request), TransportCodec.VOLUME_HEALTH);
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        return send(nodeId, "storage", TransportCodec.STORAGE_QUERY.encode(request), TransportCodec.STORAGE_HEALTH);
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return send(nodeId, "plugin", TransportCodec.PLUGIN.encode(pluginId), TransportCodec.PLUGIN_INFO);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        return relayed(instance).controller();
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        return relayed(instance).groupController();
    }

    @Override
    public MetadataPages snapshotMetadata(InstanceKey instance) {
        return relayed(instance).snapshotMetadata();
    }

    /** Returns the services of a plugin; they check requests and answers, and relay the bytes of CSI's messages. */
    private RelayedServices relayed(InstanceKey instance) {
        CallRelay relay = new CallRelay() {
            @Override
            public CompletableFuture<byte[]> relay(RelayedCall call, Duration limit) {
                return send(instance.nodeId(), "relay", request(call, limit), limit);
            }

            @Override
            public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration limit) {
                return send(instance.nodeId(), "page", request(call, limit), limit)
                        .thenApply(TransportCodec.PAGE::decode);
            }

            private byte[] request(RelayedCall call, Duration limit) {
                return TransportCodec.RELAYED.encode(new RelayedRequest(instance, call, limit));
            }
        };
        return RelayedServices.over(
                relay, instance.pluginId().value(), CallDeadlines.ofDefaults(), () -> capabilities.apply(instance));
    }
}
