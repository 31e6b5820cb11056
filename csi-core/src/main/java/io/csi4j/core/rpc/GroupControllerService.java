package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * Snapshots of several volumes at the same time. Plugins with GROUP_CONTROLLER_SERVICE serve it.
 *
 * <p>No method blocks. A call without a usable response fails its future with a {@link
 * io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome()
 * outcome} tells the next step. Cancelling a future gives up waiting; the plugin may still finish the
 * work (R30). A future without a value completes when the plugin confirms the call. Safe for use by many
 * threads; at most one call per volume should be in flight (R26).
 */
public interface GroupControllerService {
    /** Returns the capabilities of this service (R42). */
    CompletableFuture<GroupControllerGetCapabilitiesResponse> groupControllerGetCapabilities(
            GroupControllerGetCapabilitiesRequest request);

    /** Creates snapshots of several volumes at the same time; idempotent by its name (R97-R99). */
    CompletableFuture<CreateVolumeGroupSnapshotResponse> createVolumeGroupSnapshot(
            CreateVolumeGroupSnapshotRequest request);

    /** Deletes a group snapshot with all its members (R100). */
    CompletableFuture<Void> deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request);

    /** One group snapshot (R100). */
    CompletableFuture<GetVolumeGroupSnapshotResponse> getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request);
}
