package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A storage provider with its nodes. It performs each request at once; a repeated request has no further effect. */
final class FakeProvider {
    /** Answers a question for the free capacity. */
    Function<GetCapacityRequest, GetCapacityResponse> capacity =
            request -> new GetCapacityResponse(1L << 40, Optional.empty(), Optional.empty());

    /** The volumes by the names under which they were created. */
    final Map<String, ExternalVolume> volumes = new LinkedHashMap<>();

    final Map<String, Snapshot> snapshots = new LinkedHashMap<>();
    final Map<String, VolumeGroupSnapshot> groups = new LinkedHashMap<>();
    /** The attachments: volume and external node. */
    final Set<String> attached = new TreeSet<>();
    /** The mounts: volume, allocation and node. */
    final Set<String> mounted = new TreeSet<>();
    /** The names of the secrets in the calls that attached volumes. */
    final Set<String> secretsObserved = new TreeSet<>();

    boolean nodeExpansionRequired;
    private int made;

    CompletableFuture<?> answer(HandCall call) {
        try {
            return CompletableFuture.completedFuture(reply(call, call.request()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Object reply(HandCall call, Object request) {
        return switch (call.rpc()) {
            case CREATE_VOLUME -> create((CreateVolumeRequest) request);
            case DELETE_VOLUME -> {
                ExternalVolumeId id = ((DeleteVolumeRequest) request).volumeId();
                volumes.values().removeIf(volume -> volume.volumeId().equals(id));
                yield null;
            }
            case VALIDATE_VOLUME_CAPABILITIES -> validate((ValidateVolumeCapabilitiesRequest) request);
            case CONTROLLER_EXPAND_VOLUME ->
                new ControllerExpandVolumeResponse(
                        ((ControllerExpandVolumeRequest) request)
                                .capacityRange()
                                .requiredBytes(),
                        nodeExpansionRequired);
            case CONTROLLER_MODIFY_VOLUME -> null;
            case CONTROLLER_PUBLISH_VOLUME -> publish((ControllerPublishVolumeRequest) request);
            case CONTROLLER_UNPUBLISH_VOLUME -> {
                unpublish((ControllerUnpublishVolumeRequest) request);
                yield null;
            }
            case NODE_UNPUBLISH_VOLUME -> {
                mounted.remove(HandCall.mount(call.node(), (NodeDetach) request));
                yield null;
            }
            case LIST_VOLUMES -> new ListVolumesResponse(List.of(), "");
            case LIST_SNAPSHOTS ->
                new ListSnapshotsResponse(snapshots.values().stream().toList(), "");
            case CREATE_SNAPSHOT -> snapshot((CreateSnapshotRequest) request);
            case GET_SNAPSHOT -> getSnapshot(((GetSnapshotRequest) request).snapshotId());
            case DELETE_SNAPSHOT -> {
                SnapshotId id = ((DeleteSnapshotRequest) request).snapshotId();
                snapshots.values().removeIf(snapshot -> snapshot.snapshotId().equals(id));
                yield null;
            }
            case CREATE_VOLUME_GROUP_SNAPSHOT -> group((CreateVolumeGroupSnapshotRequest) request);
            case GET_VOLUME_GROUP_SNAPSHOT ->
                Optional.ofNullable(groups.get(((GetVolumeGroupSnapshotRequest) request)
                                .groupSnapshotId()
                                .value()))
                        .map(group -> new GetVolumeGroupSnapshotResponse(group))
                        .orElseThrow(() -> HandGateway.failure(call.rpc(), StatusCode.NOT_FOUND));
            case DELETE_VOLUME_GROUP_SNAPSHOT -> {
                groups.remove(((DeleteVolumeGroupSnapshotRequest) request)
                        .groupSnapshotId()
                        .value());
                yield null;
            }
            case NODE_EXPAND_VOLUME ->
                new NodeExpansion(((NodeExpand) request).capacityRange().requiredBytes());
            // The node reports the same information as before.
            case NODE_GET_INFO -> request;
            case GET_PLUGIN_INFO -> new GetPluginInfoResponse("csi.example.com", "1.0", Map.of());
            case GET_CAPACITY -> capacity.apply((GetCapacityRequest) request);
            default -> throw new AssertionError("unexpected call of " + call.rpc());
        };
    }

    /** Mounts a volume as a node does after a grant. */
    void mount(String volume, String allocation, String node) {
        mounted.add(volume + ":" + allocation + "@" + node);
    }

    /** Checks that a volume is not detached from a node on which it is mounted. */
    void checkOrder(HandCall call) {
        if (call.request() instanceof ControllerUnpublishVolumeRequest request) {
            String mount = request.volumeId().value() + ":";
            String node = "@" + request.nodeId().orElseThrow().value().replaceFirst("^ext-", "");
            assertThat(mounted).as("R48: %s", call).noneMatch(there -> there.startsWith(mount) && there.endsWith(node));
        }
    }

    /** Attaches a volume to an external node. The response is the same each time. */
    PublishContext attach(String at) {
        attached.add(at);
        return PublishContext.of(Map.of("device", at));
    }

    private ControllerPublishVolumeResponse publish(ControllerPublishVolumeRequest request) {
        request.secrets().asMap().keySet().forEach(secretsObserved::add);
        return new ControllerPublishVolumeResponse(attach(HandCall.attachment(request)));
    }

    private void unpublish(ControllerUnpublishVolumeRequest request) {
        request.secrets().asMap().keySet().forEach(secretsObserved::add);
        attached.remove(HandCall.attachment(request));
    }

    private CreateVolumeResponse create(CreateVolumeRequest request) {
        return new CreateVolumeResponse(volumes.computeIfAbsent(request.name(), name -> {
            ExternalVolume.Builder builder = ExternalVolume.builder(ExternalVolumeId.of("ext-" + ++made))
                    .capacityBytes(request.capacityRange()
                            .map(CapacityRange::requiredBytes)
                            .orElse(0L))
                    .volumeContext(VolumeContext.of(Map.of("made", "here")));
            request.volumeContentSource().ifPresent(builder::contentSource);
            request.accessibilityRequirements()
                    .ifPresent(required -> builder.accessibleTopology(
                            required.preferred().isEmpty() ? required.requisite() : required.preferred()));
            return builder.build();
        }));
    }

    private static ValidateVolumeCapabilitiesResponse validate(ValidateVolumeCapabilitiesRequest request) {
        return new ValidateVolumeCapabilitiesResponse(
                Optional.of(new ValidateVolumeCapabilitiesResponse.Confirmed(
                        request.volumeContext(),
                        request.volumeCapabilities(),
                        request.parameters(),
                        request.mutableParameters())),
                "");
    }

    private CreateSnapshotResponse snapshot(CreateSnapshotRequest request) {
        return new CreateSnapshotResponse(snapshots.computeIfAbsent(
                request.name(),
                name -> Snapshot.builder(SnapshotId.of("snap-" + ++made), request.sourceVolumeId())
                        .readyToUse(true)
                        .build()));
    }

    private GetSnapshotResponse getSnapshot(SnapshotId id) {
        return snapshots.values().stream()
                .filter(snapshot -> snapshot.snapshotId().equals(id))
                .findFirst()
                .map(snapshot -> new GetSnapshotResponse(snapshot))
                .orElseThrow(() -> HandGateway.failure(Rpc.GET_SNAPSHOT, StatusCode.NOT_FOUND));
    }

    private CreateVolumeGroupSnapshotResponse group(CreateVolumeGroupSnapshotRequest request) {
        return new CreateVolumeGroupSnapshotResponse(groups.computeIfAbsent(
                request.name(),
                name -> VolumeGroupSnapshot.builder(GroupSnapshotId.of(name))
                        .snapshots(request.sourceVolumeIds().stream()
                                .map(source -> Snapshot.builder(SnapshotId.of("snap-" + ++made), source)
                                        .readyToUse(true)
                                        .build())
                                .toList())
                        .readyToUse(true)
                        .build()));
    }
}
