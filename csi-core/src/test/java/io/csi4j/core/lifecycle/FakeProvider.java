package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeResponse;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeResponse;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeUnpublishVolumeResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A provider that does what it is asked, idempotently, at once. */
final class FakeProvider {
    /** By the name they were made under. */
    final Map<String, ExternalVolume> volumes = new LinkedHashMap<>();

    final Map<String, Snapshot> snapshots = new LinkedHashMap<>();
    final Map<String, VolumeGroupSnapshot> groups = new LinkedHashMap<>();
    boolean nodeExpansionRequired;
    private int made;

    CompletableFuture<?> answer(ScriptedGateway.Call call) {
        try {
            return CompletableFuture.completedFuture(reply(call.rpc(), call.request()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Object reply(Rpc rpc, Object request) {
        return switch (rpc) {
            case CREATE_VOLUME -> create((CreateVolumeRequest) request);
            case DELETE_VOLUME -> {
                ExternalVolumeId id = ((DeleteVolumeRequest) request).volumeId();
                volumes.values().removeIf(volume -> volume.volumeId().equals(id));
                yield DeleteVolumeResponse.of();
            }
            case VALIDATE_VOLUME_CAPABILITIES -> validate((ValidateVolumeCapabilitiesRequest) request);
            case CONTROLLER_EXPAND_VOLUME ->
                ControllerExpandVolumeResponse.builder()
                        .capacityBytes(((ControllerExpandVolumeRequest) request)
                                .capacityRange()
                                .requiredBytes())
                        .nodeExpansionRequired(nodeExpansionRequired)
                        .build();
            case CONTROLLER_MODIFY_VOLUME -> ControllerModifyVolumeResponse.of();
            case CONTROLLER_PUBLISH_VOLUME ->
                ControllerPublishVolumeResponse.builder().build();
            case CONTROLLER_UNPUBLISH_VOLUME -> ControllerUnpublishVolumeResponse.of();
            case NODE_UNPUBLISH_VOLUME -> NodeUnpublishVolumeResponse.of();
            case LIST_VOLUMES -> ListVolumesResponse.builder().build();
            case LIST_SNAPSHOTS ->
                ListSnapshotsResponse.builder()
                        .entries(snapshots.values().stream().toList())
                        .build();
            case CREATE_SNAPSHOT -> snapshot((CreateSnapshotRequest) request);
            case GET_SNAPSHOT -> getSnapshot(((GetSnapshotRequest) request).snapshotId());
            case DELETE_SNAPSHOT -> {
                SnapshotId id = ((DeleteSnapshotRequest) request).snapshotId();
                snapshots.values().removeIf(snapshot -> snapshot.snapshotId().equals(id));
                yield DeleteSnapshotResponse.of();
            }
            case CREATE_VOLUME_GROUP_SNAPSHOT -> group((CreateVolumeGroupSnapshotRequest) request);
            case GET_VOLUME_GROUP_SNAPSHOT ->
                Optional.ofNullable(groups.get(((GetVolumeGroupSnapshotRequest) request)
                                .groupSnapshotId()
                                .value()))
                        .map(group ->
                                GetVolumeGroupSnapshotResponse.builder(group).build())
                        .orElseThrow(() -> ScriptedGateway.failure(rpc, StatusCode.NOT_FOUND));
            case DELETE_VOLUME_GROUP_SNAPSHOT -> {
                groups.remove(((DeleteVolumeGroupSnapshotRequest) request)
                        .groupSnapshotId()
                        .value());
                yield DeleteVolumeGroupSnapshotResponse.of();
            }
            case NODE_EXPAND_VOLUME ->
                new NodeExpansion(((NodeExpand) request).capacityRange().requiredBytes());
            default -> throw new AssertionError("nobody planned " + rpc);
        };
    }

    private CreateVolumeResponse create(CreateVolumeRequest request) {
        return CreateVolumeResponse.builder(volumes.computeIfAbsent(request.name(), name -> {
                    ExternalVolume.Builder builder = ExternalVolume.builder(ExternalVolumeId.of("ext-" + ++made))
                            .capacityBytes(request.capacityRange()
                                    .map(CapacityRange::requiredBytes)
                                    .orElse(0L))
                            .volumeContext(VolumeContext.of(Map.of("made", "here")));
                    request.volumeContentSource().ifPresent(builder::contentSource);
                    request.accessibilityRequirements().ifPresent(wish -> builder.accessibleTopology(wish.requisite()));
                    return builder.build();
                }))
                .build();
    }

    private static ValidateVolumeCapabilitiesResponse validate(ValidateVolumeCapabilitiesRequest request) {
        return ValidateVolumeCapabilitiesResponse.builder()
                .confirmed(new ValidateVolumeCapabilitiesResponse.Confirmed(
                        request.volumeContext(),
                        request.volumeCapabilities(),
                        request.parameters(),
                        request.mutableParameters()))
                .build();
    }

    private CreateSnapshotResponse snapshot(CreateSnapshotRequest request) {
        return CreateSnapshotResponse.builder(snapshots.computeIfAbsent(
                        request.name(),
                        name -> Snapshot.builder(SnapshotId.of("snap-" + ++made), request.sourceVolumeId())
                                .readyToUse(true)
                                .build()))
                .build();
    }

    private GetSnapshotResponse getSnapshot(SnapshotId id) {
        return snapshots.values().stream()
                .filter(snapshot -> snapshot.snapshotId().equals(id))
                .findFirst()
                .map(snapshot -> GetSnapshotResponse.builder(snapshot).build())
                .orElseThrow(() -> ScriptedGateway.failure(Rpc.GET_SNAPSHOT, StatusCode.NOT_FOUND));
    }

    private CreateVolumeGroupSnapshotResponse group(CreateVolumeGroupSnapshotRequest request) {
        return CreateVolumeGroupSnapshotResponse.builder(groups.computeIfAbsent(
                        request.name(),
                        name -> VolumeGroupSnapshot.builder(GroupSnapshotId.of(name))
                                .snapshots(request.sourceVolumeIds().stream()
                                        .map(source -> Snapshot.builder(SnapshotId.of("snap-" + ++made), source)
                                                .readyToUse(true)
                                                .build())
                                        .toList())
                                .readyToUse(true)
                                .build()))
                .build();
    }
}
