package io.csi4j.core.spi;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The interface through which the engine calls plugins and the agents of nodes. The caller chooses the instance or the
 * node, and the gateway sends the request only there, through the server that has the connection.
 *
 * <p>No method blocks. The transport sets deadlines, so every future completes. A future fails with a
 * {@link io.csi4j.core.call.CsiCallException} that contains the outcome; any other exception means that the outcome is
 * unknown. A request that was certainly not sent fails with UNAVAILABLE. Safe for use by many threads. {@code
 * NodeGatewayContract} of csi-testkit has this contract as tests, and {@code TransportCodec} of csi-node encodes the
 * requests, answers and failures.
 *
 * <p><b>Answers.</b> A future completes after the node has answered, and with this answer. No method returns null, and
 * no future completes with null, except that of a {@code Void}: a success without the node's answer would detach a
 * volume that is still mounted. A method that throws counts as a failure with an unknown outcome. An answer after the
 * deadline is dropped, and a second answer has no effect; the engine gives up a call after {@code
 * LifecycleOptions.callTimeout()}.
 *
 * <p><b>Duplicates and order.</b> Each call of a method sends one request. The gateway never repeats a request by
 * itself, because two calls for one volume must not be in flight (R26); the engine repeats it, if necessary to another
 * instance or by the next leader. So the node gets some requests twice, also after the first was carried out, and
 * answers them as the first time. Requests in flight at one time have no order, and their answers may arrive in any
 * order.
 *
 * <p><b>Threads and locks.</b> The engine calls in tasks of its executor, many at a time, and holds no lock. The gateway
 * may complete a future on any thread; the engine continues in its executor.
 *
 * <p><b>Restart and dead connections.</b> A gateway has no state to keep. If a connection dies, its calls fail with an
 * unknown outcome, and nothing is undone: the node finishes the work that it has begun. A claim that a node made over a
 * transport of the host is the host's to withdraw: if the caller's connection has died, or the caller has given up, the
 * host cancels the future of {@code VolumeClaims.claim}. Until then the claim keeps its place in the queue, and a
 * granted one is kept until its allocation ends. The caller may claim again after it has connected again: the same
 * request joins the one that waits, or gets the same grant. The servers of csi-agent wait for a minute before they
 * withdraw.
 *
 * <p>A host implements three methods: {@link #controller}, {@link #groupController} and {@link #detach}. The default
 * implementations of the others fail with UNIMPLEMENTED, or say what they do instead.
 */
public interface NodeGateway {
    /**
     * Returns the controller service of a plugin instance, without a call to it. Calls of the returned service fail
     * with UNAVAILABLE while the instance cannot be reached.
     *
     * @param instance an instance that serves the controller service
     */
    ControllerService controller(InstanceKey instance);

    /**
     * Returns the group controller service of a plugin instance, without a call to it. Calls of the returned service
     * fail with UNAVAILABLE while the instance cannot be reached.
     *
     * @param instance an instance that serves the group controller service
     */
    GroupControllerService groupController(InstanceKey instance);

    /**
     * Returns the service that reads snapshot metadata from a plugin instance, page by page. This method itself does
     * not call the instance. Only plugins with SNAPSHOT_METADATA_SERVICE serve the calls of the service.
     *
     * @param instance an instance that serves snapshot metadata
     * @return the service. The default implementation of this method returns a service whose calls fail with
     *     UNIMPLEMENTED
     */
    default MetadataPages snapshotMetadata(InstanceKey instance) {
        return MetadataPages.unsupported(instance.pluginId().value());
    }

    /**
     * Unmounts a volume for an allocation on a node. May be called again with the same request.
     *
     * @return a future that completes when the volume is not mounted for the allocation, even if it never was
     */
    CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request);

    /**
     * Asks a node what it has mounted, and for whom. The engine asks when the state may be older than the node, for
     * example after a backup was restored. Until the node has answered, no volume is detached from it, so an answer
     * must be complete: a node that does not know everything has to fail.
     *
     * @return the complete content of the node's ledger. The default implementation fails
     */
    default CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        return CompletableFuture.failedFuture(new CsiException("the gateway cannot ask node " + nodeId
                + " what it has mounted; implement" + " NodeGateway.ledger, or report it with cluster().nodeLedger"));
    }

    /**
     * Expands a volume on a node for an allocation. May be called again with the same request.
     *
     * @return the new capacity; fails with NOT_FOUND if the volume is not mounted for the allocation
     */
    default CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        return unsupported(Rpc.NODE_EXPAND_VOLUME, request.pluginId());
    }

    /**
     * Queries the usage of a volume that an allocation uses on a node, and in versions of CSI up to 1.12 also its
     * condition (R92).
     *
     * @return the plugin's response; fails with UNIMPLEMENTED if the plugin does not support the query
     */
    default CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        return unsupported(Rpc.NODE_GET_VOLUME_STATS, request.pluginId());
    }

    /**
     * Queries the health of a volume that an allocation uses on a node (R104). The query needs an RPC that is alpha in
     * CSI and exists since CSI 1.13.
     *
     * @return the plugin's response; fails with UNIMPLEMENTED if the plugin does not support the query
     */
    default CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        return unsupported(Rpc.NODE_GET_VOLUME_HEALTH, request.pluginId());
    }

    /**
     * Queries the health of a plugin's storage backends, as seen from a node (R104). The query needs an RPC that is
     * alpha in CSI and exists since CSI 1.13.
     *
     * @return the plugin's response; fails with UNIMPLEMENTED if the plugin does not support the query
     */
    default CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        return unsupported(Rpc.NODE_GET_STORAGE_HEALTH, request.pluginId());
    }

    /**
     * Asks a node to call a plugin's NodeGetInfo again (R93). The engine sends this request after a plugin refused a
     * volume because the node was full. The result arrives in a later fingerprint of the node. The engine may repeat
     * the request. A lost request does no harm, because the next refusal causes a new request.
     *
     * @return a future that completes after the call. It fails with UNAVAILABLE if the plugin cannot be called now. It
     *     fails with UNIMPLEMENTED if the agent does not support the request; that does no harm, because the agent also
     *     calls NodeGetInfo at intervals
     */
    default CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        return unsupported(Rpc.NODE_GET_INFO, pluginId);
    }

    /**
     * Asks the instance that serves a plugin's node service on a node for the plugin's name and version (GetPluginInfo,
     * R37). The engine asks before it stores a registration of a volume whose plugin has no controller service, so the
     * answer must come from the plugin itself, and now. The engine may repeat the question.
     *
     * @return the plugin's response. It fails with UNAVAILABLE if the plugin cannot be called now. It fails with
     *     UNIMPLEMENTED if the agent does not support the question; the engine then calls {@link #refreshNodeInfo}
     *     instead
     */
    default CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        return unsupported(Rpc.GET_PLUGIN_INFO, pluginId);
    }

    /**
     * Asks a node what it has of volumes, and which of its work on them is not finished. The engine repeats the question
     * at intervals.
     *
     * @return the complete report; a node that does not know all its volumes has to fail. The default implementation fails with UNIMPLEMENTED; the node's side is then missing in the
     *     status of nodes
     */
    default CompletableFuture<NodeReport> report(NodeId nodeId) {
        return CompletableFuture.failedFuture(unsupported(Rpc.NODE_GET_INFO, "", "reports"));
    }

    /**
     * Carries out an operator's order to forget an unfinished unmount. The node obeys only if the volume is being
     * unmounted for the allocation, and if its mount table shows that nothing of it is mounted. May be called again with
     * the same request.
     *
     * @return a future that completes when the node has no record of the volume for the allocation. The default
     *     implementation fails with UNIMPLEMENTED
     */
    default CompletableFuture<Void> forget(NodeId nodeId, NodeForget request) {
        return CompletableFuture.failedFuture(unsupported(Rpc.NODE_GET_INFO, "", "orders to forget an unmount"));
    }

    private static <R> CompletableFuture<R> unsupported(Rpc rpc, PluginId plugin) {
        return CompletableFuture.failedFuture(unsupported(rpc, plugin.value(), rpc.csiName()));
    }

    private static CsiCallException unsupported(Rpc rpc, String plugin, String what) {
        return new CsiCallException(
                rpc,
                plugin,
                null,
                StatusCode.UNIMPLEMENTED,
                CallOutcome.NEVER,
                "this NodeGateway does not support " + what + " of nodes; implement the method, or use the gateway of"
                        + " csi-agent",
                null);
    }

    /**
     * Returns the connection of a node's agent to this server, without a call. Must not block and must not throw.
     *
     * @param nodeId the node
     * @return the default implementation returns empty, which means that the agent opens no connection, or none is known
     */
    default Optional<AgentConnection> agentConnection(NodeId nodeId) {
        return Optional.empty();
    }
}
