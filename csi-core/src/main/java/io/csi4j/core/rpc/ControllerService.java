package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * The operations on volumes and snapshots that a plugin can perform from any node. Plugins with the capability
 * CONTROLLER_SERVICE have this service.
 *
 * <p>No method blocks. A call without a usable response fails its future with a
 * {@link io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome() outcome} says
 * how to continue. Cancelling a future only ends the wait; the plugin may still finish the work (R30). A future of type
 * {@code Void} completes when the plugin has confirmed that the call succeeded. Safe for use by many threads; at most
 * one call per volume should be in flight (R26).
 */
public interface ControllerService {
    /** Creates a volume. Another call with the same name returns the same volume (R51-R58). */
    CompletableFuture<CreateVolumeResponse> createVolume(CreateVolumeRequest request);

    /** Deletes a volume (R59, R60). */
    CompletableFuture<Void> deleteVolume(DeleteVolumeRequest request);

    /**
     * Makes a volume available on a node. Another call for the same volume and node has no further effect (R61-R64).
     */
    CompletableFuture<ControllerPublishVolumeResponse> controllerPublishVolume(ControllerPublishVolumeRequest request);

    /**
     * Unpublishes a volume from a node. A failure with NOT_FOUND does not mean that the volume is unpublished
     * (R65-R68).
     */
    CompletableFuture<Void> controllerUnpublishVolume(ControllerUnpublishVolumeRequest request);

    /** Checks whether a volume supports all given capabilities (R69). */
    CompletableFuture<ValidateVolumeCapabilitiesResponse> validateVolumeCapabilities(
            ValidateVolumeCapabilitiesRequest request);

    /** Returns a page of volumes (R70-R72). */
    CompletableFuture<ListVolumesResponse> listVolumes(ListVolumesRequest request);

    /** Returns the free capacity for new volumes (R75). */
    CompletableFuture<GetCapacityResponse> getCapacity(GetCapacityRequest request);

    /** Returns the capabilities of this service (R42). */
    CompletableFuture<ControllerGetCapabilitiesResponse> controllerGetCapabilities();

    /** Creates a snapshot. Another call with the same name returns the same snapshot (R76-R79). */
    CompletableFuture<CreateSnapshotResponse> createSnapshot(CreateSnapshotRequest request);

    /** Deletes a snapshot that is in no group (R80). */
    CompletableFuture<Void> deleteSnapshot(DeleteSnapshotRequest request);

    /** Returns a page of snapshots (R81). */
    CompletableFuture<ListSnapshotsResponse> listSnapshots(ListSnapshotsRequest request);

    /** Returns one snapshot (R81). This RPC is alpha in CSI. */
    CompletableFuture<GetSnapshotResponse> getSnapshot(GetSnapshotRequest request);

    /** Expands a volume at the storage provider (R82-R84). */
    CompletableFuture<ControllerExpandVolumeResponse> controllerExpandVolume(ControllerExpandVolumeRequest request);

    /** Returns one volume with its status (R73). This RPC is alpha in CSI. */
    CompletableFuture<ControllerGetVolumeResponse> controllerGetVolume(ControllerGetVolumeRequest request);

    /** Changes mutable parameters of an existing volume (R74). */
    CompletableFuture<Void> controllerModifyVolume(ControllerModifyVolumeRequest request);

    /** Returns a page of abnormal volumes (R104). This RPC is alpha in CSI and exists since CSI 1.13. */
    CompletableFuture<ControllerListVolumeHealthResponse> controllerListVolumeHealth(
            ControllerListVolumeHealthRequest request);

    /** Returns the health of one volume (R104). This RPC is alpha in CSI and exists since CSI 1.13. */
    CompletableFuture<ControllerGetVolumeHealthResponse> controllerGetVolumeHealth(
            ControllerGetVolumeHealthRequest request);
}
