package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * Volume operations on the node where the plugin runs.
 *
 * <p>No method blocks. A call without a usable response fails its future with a
 * {@link io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome() outcome} says
 * how to continue. Cancelling a future only ends the wait; the plugin may still finish the work (R30). A future of type
 * {@code Void} completes when the plugin has confirmed that the call succeeded. Safe for use by many threads; at most
 * one call per volume should be in flight (R26).
 */
public interface NodeService {
    /** Prepares a volume on the node once, before it is mounted there for any allocation (R85, R86). */
    CompletableFuture<Void> nodeStageVolume(NodeStageVolumeRequest request);

    /** Undoes the staging of a volume (R87). */
    CompletableFuture<Void> nodeUnstageVolume(NodeUnstageVolumeRequest request);

    /** Makes a volume visible at one path on the node for one workload (R88-R90). */
    CompletableFuture<Void> nodePublishVolume(NodePublishVolumeRequest request);

    /** Unmounts a volume from a path (R91). */
    CompletableFuture<Void> nodeUnpublishVolume(NodeUnpublishVolumeRequest request);

    /** Returns the usage of a volume at a path (R92). */
    CompletableFuture<NodeGetVolumeStatsResponse> nodeGetVolumeStats(NodeGetVolumeStatsRequest request);

    /** Expands the file system or device of a volume on the node (R94, R95). */
    CompletableFuture<NodeExpandVolumeResponse> nodeExpandVolume(NodeExpandVolumeRequest request);

    /** Returns the capabilities of this service (R42). */
    CompletableFuture<NodeGetCapabilitiesResponse> nodeGetCapabilities();

    /** Returns the storage provider's id of the node, the node's limit of volumes and its topology (R93). */
    CompletableFuture<NodeGetInfoResponse> nodeGetInfo();

    /** Returns the health of one volume on this node (R104). This RPC is alpha in CSI and exists since CSI 1.13. */
    CompletableFuture<NodeGetVolumeHealthResponse> nodeGetVolumeHealth(NodeGetVolumeHealthRequest request);

    /**
     * Returns the health of the storage backends as this node sees them (R104). This RPC is alpha in CSI and exists
     * since CSI 1.13.
     */
    CompletableFuture<NodeGetStorageHealthResponse> nodeGetStorageHealth(NodeGetStorageHealthRequest request);
}
