package io.csi4j.client;

import static io.csi4j.client.FilledValues.groupSnapshotId;
import static io.csi4j.client.FilledValues.nodeId;
import static io.csi4j.client.FilledValues.range;
import static io.csi4j.client.FilledValues.requirement;
import static io.csi4j.client.FilledValues.snapshotId;
import static io.csi4j.client.FilledValues.topology;
import static io.csi4j.client.FilledValues.volumeId;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContext;
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
import java.util.List;

/** The typed request of each RPC that equals the message of {@link Filled}, written by hand. */
final class FilledRequests {
    private final FilledValues values;

    private FilledRequests(int variant) {
        values = new FilledValues(variant);
    }

    static CsiRequest of(Rpc rpc, int variant) {
        return new FilledRequests(variant).of(rpc);
    }

    private CsiRequest of(Rpc rpc) {
        return switch (rpc.service()) {
            case IDENTITY -> identity(rpc);
            case CONTROLLER -> controller(rpc);
            case GROUP_CONTROLLER -> groupController(rpc);
            case SNAPSHOT_METADATA -> metadata(rpc);
            case NODE -> node(rpc);
        };
    }

    private static CsiRequest identity(Rpc rpc) {
        return switch (rpc) {
            case GET_PLUGIN_INFO -> CsiRequest.empty();
            case GET_PLUGIN_CAPABILITIES -> CsiRequest.empty();
            case PROBE -> CsiRequest.empty();
            default -> throw new AssertionError(rpc);
        };
    }

    private CsiRequest controller(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME ->
                CreateVolumeRequest.builder("name", values.capabilities("volume_capabilities"))
                        .capacityRange(range("capacity_range"))
                        .parameters(Filled.map("parameters"))
                        .secrets(secrets())
                        .volumeContentSource(values.source("volume_content_source", 0))
                        .accessibilityRequirements(requirement("accessibility_requirements"))
                        .mutableParameters(Filled.map("modifiable_parameters"))
                        .build();
            case DELETE_VOLUME ->
                DeleteVolumeRequest.builder(volumeId("volume_id"))
                        .secrets(secrets())
                        .build();
            case CONTROLLER_PUBLISH_VOLUME ->
                ControllerPublishVolumeRequest.builder(
                                volumeId("volume_id"), nodeId("node_id"), values.capability("volume_capability", 0))
                        .readonly(true)
                        .secrets(secrets())
                        .volumeContext(volumeContext())
                        .build();
            case CONTROLLER_UNPUBLISH_VOLUME ->
                ControllerUnpublishVolumeRequest.builder(volumeId("volume_id"), nodeId("node_id"))
                        .secrets(secrets())
                        .build();
            case VALIDATE_VOLUME_CAPABILITIES ->
                ValidateVolumeCapabilitiesRequest.builder(
                                volumeId("volume_id"), values.capabilities("volume_capabilities"))
                        .volumeContext(volumeContext())
                        .parameters(Filled.map("parameters"))
                        .secrets(secrets())
                        .mutableParameters(Filled.map("modifiable_parameters"))
                        .build();
            case LIST_VOLUMES ->
                ListVolumesRequest.builder()
                        .maxEntries((int) Filled.number("max_entries"))
                        .startingToken("starting_token")
                        .build();
            case GET_CAPACITY ->
                GetCapacityRequest.builder()
                        .volumeCapabilities(values.capabilities("volume_capabilities"))
                        .parameters(Filled.map("parameters"))
                        .accessibleTopology(topology("accessible_topology"))
                        .build();
            case CONTROLLER_GET_CAPABILITIES -> CsiRequest.empty();
            case CREATE_SNAPSHOT ->
                CreateSnapshotRequest.builder(volumeId("source_volume_id"), "name")
                        .secrets(secrets())
                        .parameters(Filled.map("parameters"))
                        .accessibilityRequirements(requirement("accessibility_requirements"))
                        .build();
            case DELETE_SNAPSHOT ->
                DeleteSnapshotRequest.builder(snapshotId("snapshot_id"))
                        .secrets(secrets())
                        .build();
            case LIST_SNAPSHOTS ->
                ListSnapshotsRequest.builder()
                        .maxEntries((int) Filled.number("max_entries"))
                        .startingToken("starting_token")
                        .sourceVolumeId(volumeId("source_volume_id"))
                        .snapshotId(snapshotId("snapshot_id"))
                        .secrets(secrets())
                        .build();
            case GET_SNAPSHOT ->
                GetSnapshotRequest.builder(snapshotId("snapshot_id"))
                        .secrets(secrets())
                        .build();
            case CONTROLLER_EXPAND_VOLUME ->
                ControllerExpandVolumeRequest.builder(volumeId("volume_id"), range("capacity_range"))
                        .secrets(secrets())
                        .volumeCapability(values.capability("volume_capability", 0))
                        .build();
            case CONTROLLER_GET_VOLUME ->
                ControllerGetVolumeRequest.builder(volumeId("volume_id")).build();
            case CONTROLLER_MODIFY_VOLUME ->
                ControllerModifyVolumeRequest.builder(volumeId("volume_id"), Filled.map("modifiable_parameters"))
                        .secrets(secrets())
                        .build();
            case CONTROLLER_LIST_VOLUME_HEALTH ->
                ControllerListVolumeHealthRequest.builder()
                        .maxEntries((int) Filled.number("max_entries"))
                        .startingToken("starting_token")
                        .secrets(secrets())
                        .build();
            case CONTROLLER_GET_VOLUME_HEALTH ->
                ControllerGetVolumeHealthRequest.builder(volumeId("volume_id"))
                        .secrets(secrets())
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private static CsiRequest groupController(Rpc rpc) {
        return switch (rpc) {
            case GROUP_CONTROLLER_GET_CAPABILITIES -> CsiRequest.empty();
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                CreateVolumeGroupSnapshotRequest.builder(
                                "name", List.of(volumeId("source_volume_ids[0]"), volumeId("source_volume_ids[1]")))
                        .secrets(secrets())
                        .parameters(Filled.map("parameters"))
                        .build();
            case DELETE_VOLUME_GROUP_SNAPSHOT ->
                DeleteVolumeGroupSnapshotRequest.builder(groupSnapshotId("group_snapshot_id"), members())
                        .secrets(secrets())
                        .build();
            case GET_VOLUME_GROUP_SNAPSHOT ->
                GetVolumeGroupSnapshotRequest.builder(groupSnapshotId("group_snapshot_id"), members())
                        .secrets(secrets())
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private static CsiRequest metadata(Rpc rpc) {
        return switch (rpc) {
            case GET_METADATA_ALLOCATED ->
                GetMetadataAllocatedRequest.builder(snapshotId("snapshot_id"))
                        .startingOffset(Filled.number("starting_offset"))
                        .maxResults((int) Filled.number("max_results"))
                        .secrets(secrets())
                        .build();
            case GET_METADATA_DELTA ->
                GetMetadataDeltaRequest.builder(snapshotId("base_snapshot_id"), snapshotId("target_snapshot_id"))
                        .startingOffset(Filled.number("starting_offset"))
                        .maxResults((int) Filled.number("max_results"))
                        .secrets(secrets())
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private CsiRequest node(Rpc rpc) {
        return switch (rpc) {
            case NODE_STAGE_VOLUME ->
                NodeStageVolumeRequest.builder(
                                volumeId("volume_id"),
                                "/staging_target_path",
                                values.capability("volume_capability", 0))
                        .publishContext(publishContext())
                        .secrets(secrets())
                        .volumeContext(volumeContext())
                        .build();
            case NODE_UNSTAGE_VOLUME ->
                NodeUnstageVolumeRequest.builder(volumeId("volume_id"), "/staging_target_path")
                        .build();
            case NODE_PUBLISH_VOLUME ->
                NodePublishVolumeRequest.builder(
                                volumeId("volume_id"), "/target_path", values.capability("volume_capability", 0))
                        .publishContext(publishContext())
                        .stagingTargetPath("/staging_target_path")
                        .readonly(true)
                        .secrets(secrets())
                        .volumeContext(volumeContext())
                        .build();
            case NODE_UNPUBLISH_VOLUME ->
                NodeUnpublishVolumeRequest.builder(volumeId("volume_id"), "/target_path")
                        .build();
            case NODE_GET_VOLUME_STATS ->
                NodeGetVolumeStatsRequest.builder(volumeId("volume_id"), "/volume_path")
                        .stagingTargetPath("/staging_target_path")
                        .build();
            case NODE_EXPAND_VOLUME ->
                NodeExpandVolumeRequest.builder(volumeId("volume_id"), "/volume_path")
                        .capacityRange(range("capacity_range"))
                        .stagingTargetPath("/staging_target_path")
                        .volumeCapability(values.capability("volume_capability", 0))
                        .secrets(secrets())
                        .build();
            case NODE_GET_CAPABILITIES -> CsiRequest.empty();
            case NODE_GET_INFO -> CsiRequest.empty();
            case NODE_GET_VOLUME_HEALTH ->
                NodeGetVolumeHealthRequest.builder(volumeId("volume_id"))
                        .volumePublishPath("/volume_publish_path")
                        .stagingTargetPath("/staging_target_path")
                        .build();
            case NODE_GET_STORAGE_HEALTH ->
                NodeGetStorageHealthRequest.builder().secrets(secrets()).build();
            default -> throw new AssertionError(rpc);
        };
    }

    private static Secrets secrets() {
        return Secrets.of(Filled.map("secrets"));
    }

    private static VolumeContext volumeContext() {
        return VolumeContext.of(Filled.map("volume_context"));
    }

    private static PublishContext publishContext() {
        return PublishContext.of(Filled.map("publish_context"));
    }

    private static List<SnapshotId> members() {
        return List.of(snapshotId("snapshot_ids[0]"), snapshotId("snapshot_ids[1]"));
    }
}
