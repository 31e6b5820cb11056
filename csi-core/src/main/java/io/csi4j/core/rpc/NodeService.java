package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * Volume operations on the node where the plugin runs.
 *
 * <p>No method blocks. A call without a usable response fails its future with a {@link
 * io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome()
 * outcome} tells the next step. Cancelling a future gives up waiting; the plugin may still finish the
 * work (R30). A future without a value completes when the plugin confirms the call. Safe for use by many
 * threads; at most one call per volume should be in flight (R26).
 */
public interface NodeService {
    /** Prepares a volume once per node (R85, R86). */
    CompletableFuture<Void> nodeStageVolume(NodeStageVolumeRequest request);

    /** Undoes the staging of a volume (R87). */
    CompletableFuture<Void> nodeUnstageVolume(NodeUnstageVolumeRequest request);

    /** Makes a volume visible at a path for one use (R88-R90). */
    CompletableFuture<Void> nodePublishVolume(NodePublishVolumeRequest request);

    /** Undoes the publish of a volume (R91). */
    CompletableFuture<Void> nodeUnpublishVolume(NodeUnpublishVolumeRequest request);

    /** Returns the usage of a volume at a path (R92). */
    CompletableFuture<NodeGetVolumeStatsResponse> nodeGetVolumeStats(NodeGetVolumeStatsRequest request);

    /** Grows what is on the node (R94, R95). */
    CompletableFuture<NodeExpandVolumeResponse> nodeExpandVolume(NodeExpandVolumeRequest request);

    /** Returns the capabilities of this service (R42). */
    CompletableFuture<NodeGetCapabilitiesResponse> nodeGetCapabilities(NodeGetCapabilitiesRequest request);

    /** Node id, limit and topology (R93). */
    CompletableFuture<NodeGetInfoResponse> nodeGetInfo(NodeGetInfoRequest request);

    /** Health of one volume on this node; alpha, since 1.13 (R104). */
    CompletableFuture<NodeGetVolumeHealthResponse> nodeGetVolumeHealth(NodeGetVolumeHealthRequest request);

    /** Health of the storage backends; alpha, since 1.13 (R104). */
    CompletableFuture<NodeGetStorageHealthResponse> nodeGetStorageHealth(NodeGetStorageHealthRequest request);
}
