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
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
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
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import java.util.List;
import java.util.Optional;

/** The typed response of each RPC that equals the message of {@link Filled}, written by hand. */
final class FilledResponses {
    private final FilledValues values;

    private FilledResponses(int variant) {
        values = new FilledValues(variant);
    }

    static Object of(Rpc rpc, int variant) {
        return new FilledResponses(variant).of(rpc);
    }

    private Object of(Rpc rpc) {
        return switch (rpc.service()) {
            case IDENTITY -> identity(rpc);
            case CONTROLLER -> controller(rpc);
            case GROUP_CONTROLLER -> groupController(rpc);
            case SNAPSHOT_METADATA -> metadata(rpc);
            case NODE -> node(rpc);
        };
    }

    private Object identity(Rpc rpc) {
        return switch (rpc) {
            case GET_PLUGIN_INFO -> new GetPluginInfoResponse("name", "vendor_version", Filled.map("manifest"));
            case GET_PLUGIN_CAPABILITIES -> {
                int service = values.variant() % 2;
                int expansion = 1 - service;
                yield new GetPluginCapabilitiesResponse(
                        CapabilitySet.fromNumbers(
                                PluginService.class,
                                List.of(Filled.enumNumber("capabilities[" + service + "].service.type", service, 6))),
                        CapabilitySet.fromNumbers(
                                VolumeExpansion.class,
                                List.of(Filled.enumNumber(
                                        "capabilities[" + expansion + "].volume_expansion.type", expansion, 3))));
            }
            case PROBE -> new ProbeResponse(false);
            default -> throw new AssertionError(rpc);
        };
    }

    private Object controller(Rpc rpc) {
        return switch (rpc) {
            case CREATE_VOLUME -> new CreateVolumeResponse(values.volume("volume", 0));
            case DELETE_VOLUME -> null;
            case CONTROLLER_PUBLISH_VOLUME ->
                new ControllerPublishVolumeResponse(PublishContext.of(Filled.map("publish_context")));
            case CONTROLLER_UNPUBLISH_VOLUME -> null;
            case VALIDATE_VOLUME_CAPABILITIES ->
                new ValidateVolumeCapabilitiesResponse(
                        Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                                VolumeContext.of(Filled.map("confirmed.volume_context")),
                                values.capabilities("confirmed.volume_capabilities"),
                                Filled.map("confirmed.parameters"),
                                Filled.map("confirmed.modifiable_parameters"))),
                        "message");
            case LIST_VOLUMES -> new ListVolumesResponse(List.of(entry(0), entry(1)), "next_token");
            case GET_CAPACITY ->
                new GetCapacityResponse(
                        Filled.number("available_capacity"),
                        Optional.of(Filled.number("maximum_volume_size.value")),
                        Optional.of(Filled.number("minimum_volume_size.value")));
            case CONTROLLER_GET_CAPABILITIES ->
                new ControllerGetCapabilitiesResponse(CapabilitySet.fromNumbers(
                        ControllerCapability.class, numbers("capabilities", ".rpc.type", 18)));
            case CREATE_SNAPSHOT -> new CreateSnapshotResponse(snapshot("snapshot"));
            case DELETE_SNAPSHOT -> null;
            case LIST_SNAPSHOTS ->
                new ListSnapshotsResponse(
                        List.of(snapshot("entries[0].snapshot"), snapshot("entries[1].snapshot")), "next_token");
            case GET_SNAPSHOT -> new GetSnapshotResponse(snapshot("snapshot"));
            case CONTROLLER_EXPAND_VOLUME -> new ControllerExpandVolumeResponse(Filled.number("capacity_bytes"), true);
            case CONTROLLER_GET_VOLUME ->
                new ControllerGetVolumeResponse(values.volume("volume", 0), Optional.of(status("status")));
            case CONTROLLER_MODIFY_VOLUME -> null;
            case CONTROLLER_LIST_VOLUME_HEALTH ->
                new ControllerListVolumeHealthResponse(
                        List.of(health("entries[0]"), health("entries[1]")), "next_token");
            case CONTROLLER_GET_VOLUME_HEALTH ->
                new ControllerGetVolumeHealthResponse(Optional.of(health("volume_health")));
            default -> throw new AssertionError(rpc);
        };
    }

    private ListVolumesResponse.Entry entry(int index) {
        return new ListVolumesResponse.Entry(
                values.volume("entries[" + index + "].volume", index),
                Optional.of(status("entries[" + index + "].status")));
    }

    private static Object groupController(Rpc rpc) {
        return switch (rpc) {
            case GROUP_CONTROLLER_GET_CAPABILITIES ->
                new GroupControllerGetCapabilitiesResponse(CapabilitySet.fromNumbers(
                        GroupControllerCapability.class, numbers("capabilities", ".rpc.type", 2)));
            case CREATE_VOLUME_GROUP_SNAPSHOT -> new CreateVolumeGroupSnapshotResponse(group("group_snapshot"));
            case DELETE_VOLUME_GROUP_SNAPSHOT -> null;
            case GET_VOLUME_GROUP_SNAPSHOT -> new GetVolumeGroupSnapshotResponse(group("group_snapshot"));
            default -> throw new AssertionError(rpc);
        };
    }

    private static Object metadata(Rpc rpc) {
        BlockMetadataType type = named(BlockMetadataType.values(), "block_metadata_type", 0);
        long capacity = Filled.number("volume_capacity_bytes");
        return switch (rpc) {
            case GET_METADATA_ALLOCATED -> new GetMetadataAllocatedResponse(type, capacity, ranges("block_metadata"));
            case GET_METADATA_DELTA -> new GetMetadataDeltaResponse(type, capacity, ranges("block_metadata"));
            default -> throw new AssertionError(rpc);
        };
    }

    private Object node(Rpc rpc) {
        return switch (rpc) {
            case NODE_STAGE_VOLUME -> null;
            case NODE_UNSTAGE_VOLUME -> null;
            case NODE_PUBLISH_VOLUME -> null;
            case NODE_UNPUBLISH_VOLUME -> null;
            case NODE_GET_VOLUME_STATS ->
                new NodeGetVolumeStatsResponse(List.of(usage(0), usage(1)), Optional.of(condition("volume_condition")));
            case NODE_EXPAND_VOLUME -> new NodeExpandVolumeResponse(Filled.number("capacity_bytes"));
            case NODE_GET_CAPABILITIES ->
                new NodeGetCapabilitiesResponse(
                        CapabilitySet.fromNumbers(NodeCapability.class, numbers("capabilities", ".rpc.type", 9)));
            case NODE_GET_INFO ->
                new NodeGetInfoResponse(
                        nodeId("node_id"),
                        Filled.number("max_volumes_per_node"),
                        Optional.of(topology("accessible_topology")));
            case NODE_GET_VOLUME_HEALTH -> new NodeGetVolumeHealthResponse(Optional.of(health("volume_health")));
            case NODE_GET_STORAGE_HEALTH -> new NodeGetStorageHealthResponse(List.of(backend(0), backend(1)));
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
