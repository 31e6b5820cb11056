package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import java.util.concurrent.CompletableFuture;

/**
 * Reaches plugins and the agents of nodes, on whatever server the connection is. Which instance or node
 * is decided by the caller, and the request goes there and nowhere else (S8).
 *
 * <p>No method blocks. The transport sets the deadlines: each future completes at last. It completes
 * exceptionally with a {@link io.csi4j.core.call.CsiCallException} whose outcome says what to do; any
 * other exception means that the outcome is not known. A request that certainly did not leave fails with
 * UNAVAILABLE. Safe for use by many threads.
 */
public interface NodeGateway {
    /**
     * The controller service of an instance. Making it sends nothing.
     *
     * @param instance one that serves it
     * @return the service; its calls fail with UNAVAILABLE while the instance cannot be reached
     */
    ControllerService controller(InstanceKey instance);

    /**
     * The group controller service of an instance. Making it sends nothing.
     *
     * @param instance one that serves it
     * @return the service; its calls fail with UNAVAILABLE while the instance cannot be reached
     */
    GroupControllerService groupController(InstanceKey instance);

    /**
     * Snapshot metadata of an instance, page by page; for plugins with SNAPSHOT_METADATA_SERVICE. Making it sends
     * nothing.
     *
     * @param instance one that serves it
     * @return pages; by default of a gateway that carries none, which fail with UNIMPLEMENTED
     */
    default MetadataPages snapshotMetadata(InstanceKey instance) {
        return MetadataPages.unsupported(instance.pluginId().value());
    }

    /**
     * Takes a volume from an allocation on a node. Repeating it is harmless.
     *
     * @param nodeId where
     * @param request what
     * @return completes once the volume is not mounted for the allocation, whether it ever was or not
     */
    CompletableFuture<Void> detach(NodeId nodeId, NodeDetach request);

    /**
     * Grows what an allocation sees of a volume. Repeating it is harmless.
     *
     * @param nodeId where
     * @param request what
     * @return the size there is now; fails with NOT_FOUND if the volume is not mounted for the allocation
     */
    CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request);

    /**
     * Usage, and condition before CSI 1.13, of a volume where an allocation uses it (R92).
     *
     * @param nodeId where
     * @param request what
     * @return as the plugin told; fails with UNIMPLEMENTED if it cannot tell
     */
    CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeLook request);

    /**
     * Health of a volume where an allocation uses it; alpha, since CSI 1.13 (R104).
     *
     * @param nodeId where
     * @param request what
     * @return as the plugin told; fails with UNIMPLEMENTED if it cannot tell
     */
    CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeLook request);

    /**
     * Health of the storage backends of a plugin as a node sees them; alpha, since CSI 1.13 (R104).
     *
     * @param nodeId where
     * @param request which plugin
     * @return as the plugin told; fails with UNIMPLEMENTED if it cannot tell
     */
    CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageLook request);

    /**
     * Has a node's plugin asked anew how many volumes the node can take and where it is (NodeGetInfo, R93), because a
     * call was refused as if the node were full. What it tells comes as the fingerprints of the node do. It is a hint:
     * repeating it is harmless, and where it is lost the next refusal asks again.
     *
     * @param nodeId where
     * @param pluginId which plugin
     * @return completes once the plugin was asked; fails with UNAVAILABLE if it cannot be now, with UNIMPLEMENTED if the
     *     agent does not know how, and that is no error: it reads the same now and then by itself
     */
    CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId);
}
