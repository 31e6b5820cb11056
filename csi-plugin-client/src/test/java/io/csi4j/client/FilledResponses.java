package io.csi4j.client;

import static io.csi4j.client.FilledValues.condition;
import static io.csi4j.client.FilledValues.group;
import static io.csi4j.client.FilledValues.health;
import static io.csi4j.client.FilledValues.named;
import static io.csi4j.client.FilledValues.nodeId;
import static io.csi4j.client.FilledValues.numbers;
import static io.csi4j.client.FilledValues.ranges;
import static io.csi4j.client.FilledValues.snapshot;
import static io.csi4j.client.FilledValues.status;
import static io.csi4j.client.FilledValues.topology;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.CsiMessage;
import io.csi4j.core.rpc.DeleteSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeResponse;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeExpandVolumeResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.NodePublishVolumeResponse;
import io.csi4j.core.rpc.NodeStageVolumeResponse;
import io.csi4j.core.rpc.NodeUnpublishVolumeResponse;
import io.csi4j.core.rpc.NodeUnstageVolumeResponse;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import java.util.List;
import java.util.Optional;

/** Our response of each RPC as {@link Filled} has it on the wire, written down by hand. */
final class FilledResponses {
    private final FilledValues values;

    private FilledResponses(int variant) {
        values = new FilledValues(variant);
    }

    static CsiMessage of(Rpc rpc, int variant) {
        return new FilledResponses(variant).of(rpc);
    }

    private CsiMessage of(Rpc rpc) {
        return switch (rpc.service()) {
            case IDENTITY -> identity(rpc);
            case CONTROLLER -> controller(rpc);
            case GROUP_CONTROLLER -> groupController(rpc);
            case SNAPSHOT_METADATA -> metadata(rpc);
            case NODE -> node(rpc);
        };
    }

    private CsiMessage identity(Rpc rpc) {
        return switch (rpc) {
            case GET_PLUGIN_INFO ->
                GetPluginInfoResponse.builder("name", "vendor_version")
                        .manifest(Filled.map("manifest"))
                        .build();
            case GET_PLUGIN_CAPABILITIES -> {
                int service = values.variant() % 2;
                int expansion = 1 - service;
                yield GetPluginCapabilitiesResponse.builder()
                        .services(CapabilitySet.fromNumbers(
                                PluginService.class,
                                List.of(Filled.enumNumber("capabilities[" + service + "].service.type", service, 6))))
                        .volumeExpansion(CapabilitySet.fromNumbers(
                                VolumeExpansion.class,
                                List.of(Filled.enumNumber(
                                        "capabilities[" + expansion + "].volume_expansion.type", expansion, 3))))
                        .build();
            }
            case PROBE -> ProbeResponse.builder().ready(false).build();
            default -> throw new AssertionError(rpc);
        };
    }

    private CsiMessage controller(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME ->
                CreateVolumeResponse.builder(values.volume("volume", 0)).build();
            case DELETE_VOLUME -> DeleteVolumeResponse.of();
            case CONTROLLER_PUBLISH_VOLUME ->
                ControllerPublishVolumeResponse.builder()
                        .publishContext(PublishContext.of(Filled.map("publish_context")))
                        .build();
            case CONTROLLER_UNPUBLISH_VOLUME -> ControllerUnpublishVolumeResponse.of();
            case VALIDATE_VOLUME_CAPABILITIES ->
                ValidateVolumeCapabilitiesResponse.builder()
                        .confirmed(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                VolumeContext.of(Filled.map("confirmed.volume_context")),
                                values.capabilities("confirmed.volume_capabilities"),
                                Filled.map("confirmed.parameters"),
                                Filled.map("confirmed.modifiable_parameters")))
                        .message("message")
                        .build();
            case LIST_VOLUMES ->
                ListVolumesResponse.builder()
                        .entries(List.of(entry(0), entry(1)))
                        .nextToken("next_token")
                        .build();
            case GET_CAPACITY ->
                GetCapacityResponse.builder()
                        .availableCapacity(Filled.number("available_capacity"))
                        .maximumVolumeSize(Filled.number("maximum_volume_size.value"))
                        .minimumVolumeSize(Filled.number("minimum_volume_size.value"))
                        .build();
            case CONTROLLER_GET_CAPABILITIES ->
                ControllerGetCapabilitiesResponse.builder()
                        .capabilities(CapabilitySet.fromNumbers(
                                ControllerCapability.class, numbers("capabilities", ".rpc.type", 18)))
                        .build();
            case CREATE_SNAPSHOT ->
                CreateSnapshotResponse.builder(snapshot("snapshot")).build();
            case DELETE_SNAPSHOT -> DeleteSnapshotResponse.of();
            case LIST_SNAPSHOTS ->
                ListSnapshotsResponse.builder()
                        .entries(List.of(snapshot("entries[0].snapshot"), snapshot("entries[1].snapshot")))
                        .nextToken("next_token")
                        .build();
            case GET_SNAPSHOT ->
                GetSnapshotResponse.builder(snapshot("snapshot")).build();
            case CONTROLLER_EXPAND_VOLUME ->
                ControllerExpandVolumeResponse.builder()
                        .capacityBytes(Filled.number("capacity_bytes"))
                        .nodeExpansionRequired(true)
                        .build();
            case CONTROLLER_GET_VOLUME ->
                ControllerGetVolumeResponse.builder(values.volume("volume", 0))
                        .status(status("status"))
                        .build();
            case CONTROLLER_MODIFY_VOLUME -> ControllerModifyVolumeResponse.of();
            case CONTROLLER_LIST_VOLUME_HEALTH ->
                ControllerListVolumeHealthResponse.builder()
                        .entries(List.of(health("entries[0]"), health("entries[1]")))
                        .nextToken("next_token")
                        .build();
            case CONTROLLER_GET_VOLUME_HEALTH ->
                ControllerGetVolumeHealthResponse.builder()
                        .volumeHealth(health("volume_health"))
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private ListVolumesResponse.Entry entry(int index) {
        return new ListVolumesResponse.Entry(
                values.volume("entries[" + index + "].volume", index),
                Optional.of(status("entries[" + index + "].status")));
    }

    private static CsiMessage groupController(Rpc rpc) {
        return switch (rpc) {
            case GROUP_CONTROLLER_GET_CAPABILITIES ->
                GroupControllerGetCapabilitiesResponse.builder()
                        .capabilities(CapabilitySet.fromNumbers(
                                GroupControllerCapability.class, numbers("capabilities", ".rpc.type", 2)))
                        .build();
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                CreateVolumeGroupSnapshotResponse.builder(group("group_snapshot"))
                        .build();
            case DELETE_VOLUME_GROUP_SNAPSHOT -> DeleteVolumeGroupSnapshotResponse.of();
            case GET_VOLUME_GROUP_SNAPSHOT ->
                GetVolumeGroupSnapshotResponse.builder(group("group_snapshot")).build();
            default -> throw new AssertionError(rpc);
        };
    }

    private static CsiMessage metadata(Rpc rpc) {
        BlockMetadataType type = named(BlockMetadataType.values(), "block_metadata_type", 0);
        long capacity = Filled.number("volume_capacity_bytes");
        return switch (rpc) {
            case GET_METADATA_ALLOCATED ->
                GetMetadataAllocatedResponse.builder()
                        .blockMetadataType(type)
                        .volumeCapacityBytes(capacity)
                        .blockMetadata(ranges("block_metadata"))
                        .build();
            case GET_METADATA_DELTA ->
                GetMetadataDeltaResponse.builder()
                        .blockMetadataType(type)
                        .volumeCapacityBytes(capacity)
                        .blockMetadata(ranges("block_metadata"))
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private CsiMessage node(Rpc rpc) {
        return switch (rpc) {
            case NODE_STAGE_VOLUME -> NodeStageVolumeResponse.of();
            case NODE_UNSTAGE_VOLUME -> NodeUnstageVolumeResponse.of();
            case NODE_PUBLISH_VOLUME -> NodePublishVolumeResponse.of();
            case NODE_UNPUBLISH_VOLUME -> NodeUnpublishVolumeResponse.of();
            case NODE_GET_VOLUME_STATS ->
                NodeGetVolumeStatsResponse.builder()
                        .usage(List.of(usage(0), usage(1)))
                        .volumeCondition(condition("volume_condition"))
                        .build();
            case NODE_EXPAND_VOLUME ->
                NodeExpandVolumeResponse.builder()
                        .capacityBytes(Filled.number("capacity_bytes"))
                        .build();
            case NODE_GET_CAPABILITIES ->
                NodeGetCapabilitiesResponse.builder()
                        .capabilities(CapabilitySet.fromNumbers(
                                NodeCapability.class, numbers("capabilities", ".rpc.type", 9)))
                        .build();
            case NODE_GET_INFO ->
                NodeGetInfoResponse.builder(nodeId("node_id"))
                        .maxVolumesPerNode(Filled.number("max_volumes_per_node"))
                        .accessibleTopology(topology("accessible_topology"))
                        .build();
            case NODE_GET_VOLUME_HEALTH ->
                NodeGetVolumeHealthResponse.builder()
                        .volumeHealth(health("volume_health"))
                        .build();
            case NODE_GET_STORAGE_HEALTH ->
                NodeGetStorageHealthResponse.builder()
                        .backendHealth(List.of(backend(0), backend(1)))
                        .build();
            default -> throw new AssertionError(rpc);
        };
    }

    private static VolumeUsage usage(int index) {
        String path = "usage[" + index + "]";
        return new VolumeUsage(
                Filled.number(path + ".available"),
                Filled.number(path + ".total"),
                Filled.number(path + ".used"),
                named(VolumeUsageUnit.values(), path + ".unit", index));
    }

    private StorageBackendHealth backend(int index) {
        String path = "backend_health[" + index + "]";
        StorageHealthStatus status = named(StorageHealthStatus.values(), path + ".status", index);
        return new StorageBackendHealth(
                status,
                status.number(),
                path + ".reason",
                path + ".message",
                Optional.of(values.capability(path + ".volume_capability", index)));
    }
}
