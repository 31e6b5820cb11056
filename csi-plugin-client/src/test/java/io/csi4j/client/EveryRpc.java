package io.csi4j.client;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import java.util.concurrent.CompletableFuture;

/** Calls any RPC, which is given as a value. */
final class EveryRpc {
    private EveryRpc() {}

    /** Makes the call; the future completes with the response, or with the last message of a stream. */
    static CompletableFuture<?> call(CsiClient client, Rpc rpc, CsiRequest request) {
        return switch (rpc) {
            case GET_PLUGIN_INFO -> client.identity().getPluginInfo();
            case GET_PLUGIN_CAPABILITIES -> client.identity().getPluginCapabilities();
            case PROBE -> client.identity().probe();
            case CREATE_VOLUME -> client.controller().createVolume((CreateVolumeRequest) request);
            case DELETE_VOLUME -> client.controller().deleteVolume((DeleteVolumeRequest) request);
            case CONTROLLER_PUBLISH_VOLUME ->
                client.controller().controllerPublishVolume((ControllerPublishVolumeRequest) request);
            case CONTROLLER_UNPUBLISH_VOLUME ->
                client.controller().controllerUnpublishVolume((ControllerUnpublishVolumeRequest) request);
            case VALIDATE_VOLUME_CAPABILITIES ->
                client.controller().validateVolumeCapabilities((ValidateVolumeCapabilitiesRequest) request);
            case LIST_VOLUMES -> client.controller().listVolumes((ListVolumesRequest) request);
            case GET_CAPACITY -> client.controller().getCapacity((GetCapacityRequest) request);
            case CONTROLLER_GET_CAPABILITIES -> client.controller().controllerGetCapabilities();
            case CREATE_SNAPSHOT -> client.controller().createSnapshot((CreateSnapshotRequest) request);
            case DELETE_SNAPSHOT -> client.controller().deleteSnapshot((DeleteSnapshotRequest) request);
            case LIST_SNAPSHOTS -> client.controller().listSnapshots((ListSnapshotsRequest) request);
            case GET_SNAPSHOT -> client.controller().getSnapshot((GetSnapshotRequest) request);
            case CONTROLLER_EXPAND_VOLUME ->
                client.controller().controllerExpandVolume((ControllerExpandVolumeRequest) request);
            case CONTROLLER_GET_VOLUME -> client.controller().controllerGetVolume((ControllerGetVolumeRequest) request);
            case CONTROLLER_MODIFY_VOLUME ->
                client.controller().controllerModifyVolume((ControllerModifyVolumeRequest) request);
            case CONTROLLER_LIST_VOLUME_HEALTH ->
                client.controller().controllerListVolumeHealth((ControllerListVolumeHealthRequest) request);
            case CONTROLLER_GET_VOLUME_HEALTH ->
                client.controller().controllerGetVolumeHealth((ControllerGetVolumeHealthRequest) request);
            case GROUP_CONTROLLER_GET_CAPABILITIES -> client.groupController().groupControllerGetCapabilities();
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                client.groupController().createVolumeGroupSnapshot((CreateVolumeGroupSnapshotRequest) request);
            case DELETE_VOLUME_GROUP_SNAPSHOT ->
                client.groupController().deleteVolumeGroupSnapshot((DeleteVolumeGroupSnapshotRequest) request);
            case GET_VOLUME_GROUP_SNAPSHOT ->
                client.groupController().getVolumeGroupSnapshot((GetVolumeGroupSnapshotRequest) request);
            case GET_METADATA_ALLOCATED ->
                Collector.of(client.snapshotMetadata().getMetadataAllocated((GetMetadataAllocatedRequest) request))
                        .last();
            case GET_METADATA_DELTA ->
                Collector.of(client.snapshotMetadata().getMetadataDelta((GetMetadataDeltaRequest) request))
                        .last();
            case NODE_STAGE_VOLUME -> client.node().nodeStageVolume((NodeStageVolumeRequest) request);
            case NODE_UNSTAGE_VOLUME -> client.node().nodeUnstageVolume((NodeUnstageVolumeRequest) request);
            case NODE_PUBLISH_VOLUME -> client.node().nodePublishVolume((NodePublishVolumeRequest) request);
            case NODE_UNPUBLISH_VOLUME -> client.node().nodeUnpublishVolume((NodeUnpublishVolumeRequest) request);
            case NODE_GET_VOLUME_STATS -> client.node().nodeGetVolumeStats((NodeGetVolumeStatsRequest) request);
            case NODE_EXPAND_VOLUME -> client.node().nodeExpandVolume((NodeExpandVolumeRequest) request);
            case NODE_GET_CAPABILITIES -> client.node().nodeGetCapabilities();
            case NODE_GET_INFO -> client.node().nodeGetInfo();
            case NODE_GET_VOLUME_HEALTH -> client.node().nodeGetVolumeHealth((NodeGetVolumeHealthRequest) request);
            case NODE_GET_STORAGE_HEALTH -> client.node().nodeGetStorageHealth((NodeGetStorageHealthRequest) request);
        };
    }
}
