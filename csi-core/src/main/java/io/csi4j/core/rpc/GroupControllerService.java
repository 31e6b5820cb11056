package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * Makes and deletes snapshots of several volumes at the same time. Plugins with the capability GROUP_CONTROLLER_SERVICE
 * have this service.
 *
 * <p>No method blocks. A call without a usable response fails its future with a
 * {@link io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome() outcome} says
 * how to continue. Cancelling a future only ends the wait; the plugin may still finish the work (R30). A future of type
 * {@code Void} completes when the plugin has confirmed that the call succeeded. Safe for use by many threads; at most
 * one call per volume should be in flight (R26).
 */
public interface GroupControllerService {
    /** Returns the capabilities of this service (R42). */
    CompletableFuture<GroupControllerGetCapabilitiesResponse> groupControllerGetCapabilities();

    /**
     * Creates snapshots of several volumes at the same time. Another call with the same name returns the same group
     * snapshot (R97-R99).
     */
    CompletableFuture<CreateVolumeGroupSnapshotResponse> createVolumeGroupSnapshot(
            CreateVolumeGroupSnapshotRequest request);

    /** Deletes a group snapshot with all its members (R100). */
    CompletableFuture<Void> deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request);

    /** Returns one group snapshot (R100). */
    CompletableFuture<GetVolumeGroupSnapshotResponse> getVolumeGroupSnapshot(GetVolumeGroupSnapshotRequest request);
}
