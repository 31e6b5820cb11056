package io.csi4j.testkit.internal.service;

import com.google.protobuf.Int64Value;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest;
import io.csi4j.proto.csi.v1.ControllerGetVolumeHealthResponse;
import io.csi4j.proto.csi.v1.ControllerGetVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthResponse;
import io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerModifyVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeResponse;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateSnapshotResponse;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.DeleteSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteSnapshotResponse;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeResponse;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.GetCapacityResponse;
import io.csi4j.proto.csi.v1.GetSnapshotRequest;
import io.csi4j.proto.csi.v1.GetSnapshotResponse;
import io.csi4j.proto.csi.v1.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.ListSnapshotsResponse;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.Page;
import io.csi4j.testkit.internal.storage.SnapshotRecord;
import io.csi4j.testkit.internal.storage.StoredAttachments;
import io.csi4j.testkit.internal.storage.StoredSegments;
import io.csi4j.testkit.internal.storage.StoredSnapshots;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.grpc.stub.StreamObserver;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The Controller service, with one method for each RPC in the order of a volume's lifecycle. */
public final class FakeControllerService extends ControllerGrpc.ControllerImplBase {
    private final PluginConfig config;
    private final ControllerRules rules;
    private final StoredVolumes volumes;
    private final StoredAttachments attachments;
    private final StoredSnapshots snapshots;
    private final StoredVolumes.Origin origin;
    private final StoredVolumes.Origin elsewhere;
    private final InFlight inFlight;
    private final CallHook hook;

    /**
     * Creates the service.
     *
     * @param backend the storage
     * @param inFlight the calls in flight, shared by all instances on the same storage
     * @param hook called at the start of each changing call
     */
    public FakeControllerService(PluginConfig config, Backend backend, InFlight inFlight, CallHook hook) {
        this.config = config;
        this.rules = new ControllerRules(config);
        this.volumes = new StoredVolumes(backend, config.sizeUnit());
        this.attachments = new StoredAttachments(backend);
        this.snapshots = new StoredSnapshots(backend);
        this.origin = new StoredVolumes.Origin(
                config.has(FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS), config.segments(), false);
        this.elsewhere = new StoredVolumes.Origin(origin.constrained(), origin.segments(), true);
        this.inFlight = inFlight;
        this.hook = hook;
    }

    private <R> R alone(String rpc, String key, Supplier<R> work) {
        return inFlight.alone(rpc, key, hook, work);
    }

    @Override
    public void controllerGetCapabilities(
            ControllerGetCapabilitiesRequest request, StreamObserver<ControllerGetCapabilitiesResponse> caller) {
        Answer.with(caller, () -> {
            ControllerGetCapabilitiesResponse.Builder response = ControllerGetCapabilitiesResponse.newBuilder();
            for (FakeCapability capability : new TreeSet<>(config.capabilities())) {
                if (capability.service() == FakeCapability.Service.CONTROLLER) {
                    response.addCapabilities(ControllerServiceCapability.newBuilder()
                            .setRpc(ControllerServiceCapability.RPC.newBuilder().setTypeValue(capability.number())));
                }
            }
            return response.build();
        });
    }

    @Override
    public void createVolume(CreateVolumeRequest request, StreamObserver<CreateVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CREATE_DELETE_VOLUME, "CreateVolume");
            rules.check(request);
            return alone(
                    "CreateVolume",
                    "new volume " + request.getName(),
                    () -> CreateVolumeResponse.newBuilder()
                            .setVolume(volumes.create(request, OtherPlace.isAsked() ? elsewhere : origin))
                            .build());
        });
    }

    @Override
    public void deleteVolume(DeleteVolumeRequest request, StreamObserver<DeleteVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CREATE_DELETE_VOLUME, "DeleteVolume");
            rules.volumeId(request, request.getVolumeId());
            return alone("DeleteVolume", request.getVolumeId(), () -> {
                volumes.delete(request.getVolumeId());
                return DeleteVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void controllerPublishVolume(
            ControllerPublishVolumeRequest request, StreamObserver<ControllerPublishVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.PUBLISH_UNPUBLISH_VOLUME, "ControllerPublishVolume");
            rules.check(request);
            return alone(
                    "ControllerPublishVolume",
                    request.getVolumeId(),
                    () -> ControllerPublishVolumeResponse.newBuilder()
                            .putAllPublishContext(
                                    attachments.publish(request, config.has(FakeCapability.PUBLISH_READONLY)))
                            .build());
        });
    }

    @Override
    public void controllerUnpublishVolume(
            ControllerUnpublishVolumeRequest request, StreamObserver<ControllerUnpublishVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.PUBLISH_UNPUBLISH_VOLUME, "ControllerUnpublishVolume");
            rules.volumeId(request, request.getVolumeId());
            return alone("ControllerUnpublishVolume", request.getVolumeId(), () -> {
                attachments.unpublish(request.getVolumeId(), request.getNodeId());
                return ControllerUnpublishVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void validateVolumeCapabilities(
            ValidateVolumeCapabilitiesRequest request, StreamObserver<ValidateVolumeCapabilitiesResponse> caller) {
        Answer.with(caller, () -> {
            rules.check(request);
            return Confirmation.of(config, volumes.get(request.getVolumeId()), request);
        });
    }

    @Override
    public void listVolumes(ListVolumesRequest request, StreamObserver<ListVolumesResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.LIST_VOLUMES, "ListVolumes");
            rules.page(request, request.getMaxEntries());
            Page<VolumeRecord> page =
                    volumes.list(request.getMaxEntries(), request.getStartingToken(), config.maxPageSize(), false);
            ListVolumesResponse.Builder response = ListVolumesResponse.newBuilder();
            page.rows().forEach(row -> response.addEntries(Views.listed(config, row)));
            return response.setNextToken(page.nextToken()).build();
        });
    }

    @Override
    public void controllerGetVolume(
            ControllerGetVolumeRequest request, StreamObserver<ControllerGetVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.GET_VOLUME, "ControllerGetVolume");
            rules.volumeId(request, request.getVolumeId());
            return Views.one(config, volumes.get(request.getVolumeId()));
        });
    }

    @Override
    public void getCapacity(GetCapacityRequest request, StreamObserver<GetCapacityResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.GET_CAPACITY, "GetCapacity");
            rules.check(request);
            StoredSegments.Capacity capacity =
                    volumes.capacity(request.getAccessibleTopology(), request.getParametersMap(), origin);
            GetCapacityResponse.Builder response = GetCapacityResponse.newBuilder()
                    .setAvailableCapacity(capacity.available())
                    .setMaximumVolumeSize(Int64Value.of(capacity.maximumVolumeSize()));
            if (capacity.minimumVolumeSize() > 0) {
                response.setMinimumVolumeSize(Int64Value.of(capacity.minimumVolumeSize()));
            }
            return response.build();
        });
    }

    @Override
    public void controllerExpandVolume(
            ControllerExpandVolumeRequest request, StreamObserver<ControllerExpandVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CONTROLLER_EXPAND_VOLUME, "ControllerExpandVolume");
            rules.check(request);
            return alone("ControllerExpandVolume", request.getVolumeId(), () -> {
                if (request.hasVolumeCapability()) {
                    Confirmation.requireAccessType(volumes.get(request.getVolumeId()), request.getVolumeCapability());
                }
                boolean byNode = config.has(FakeCapability.NODE_EXPAND_VOLUME);
                long bytes = volumes.expand(
                        request.getVolumeId(),
                        request.getCapacityRange(),
                        config.has(FakeCapability.OFFLINE_EXPANSION),
                        !byNode);
                return ControllerExpandVolumeResponse.newBuilder()
                        .setCapacityBytes(bytes)
                        .setNodeExpansionRequired(byNode)
                        .build();
            });
        });
    }

    @Override
    public void controllerModifyVolume(
            ControllerModifyVolumeRequest request, StreamObserver<ControllerModifyVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.MODIFY_VOLUME, "ControllerModifyVolume");
            Problems problems = rules.begin(request);
            problems.required(request.getVolumeId(), "volume_id");
            // Accepts empty parameters although CSI requires some, because the public conformance suite sends none by
            // default.
            rules.mutable(request.getModifiableParametersMap(), problems);
            problems.refuseIfAny();
            return alone("ControllerModifyVolume", request.getVolumeId(), () -> {
                volumes.modify(request.getVolumeId(), request.getModifiableParametersMap());
                return ControllerModifyVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void createSnapshot(CreateSnapshotRequest request, StreamObserver<CreateSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CREATE_DELETE_SNAPSHOT, "CreateSnapshot");
            rules.check(request);
            boolean constrained = config.has(FakeCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
            return alone(
                    "CreateSnapshot",
                    "new snapshot " + request.getName(),
                    () -> CreateSnapshotResponse.newBuilder()
                            .setSnapshot(snapshots.create(request, constrained))
                            .build());
        });
    }

    @Override
    public void deleteSnapshot(DeleteSnapshotRequest request, StreamObserver<DeleteSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CREATE_DELETE_SNAPSHOT, "DeleteSnapshot");
            rules.snapshotId(request, request.getSnapshotId());
            return alone("DeleteSnapshot", request.getSnapshotId(), () -> {
                snapshots.delete(request.getSnapshotId());
                return DeleteSnapshotResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void listSnapshots(ListSnapshotsRequest request, StreamObserver<ListSnapshotsResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.LIST_SNAPSHOTS, "ListSnapshots");
            rules.page(request, request.getMaxEntries());
            Page<SnapshotRecord> page = snapshots.list(request, config.maxPageSize());
            ListSnapshotsResponse.Builder response = ListSnapshotsResponse.newBuilder();
            page.rows()
                    .forEach(row -> response.addEntries(
                            ListSnapshotsResponse.Entry.newBuilder().setSnapshot(row.snapshot())));
            return response.setNextToken(page.nextToken()).build();
        });
    }

    @Override
    public void getSnapshot(GetSnapshotRequest request, StreamObserver<GetSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.GET_SNAPSHOT, "GetSnapshot");
            rules.snapshotId(request, request.getSnapshotId());
            return GetSnapshotResponse.newBuilder()
                    .setSnapshot(snapshots.get(request.getSnapshotId()).snapshot())
                    .build();
        });
    }

    @Override
    public void controllerGetVolumeHealth(
            ControllerGetVolumeHealthRequest request, StreamObserver<ControllerGetVolumeHealthResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.CONTROLLER_GET_VOLUME_HEALTH, "ControllerGetVolumeHealth");
            rules.volumeId(request, request.getVolumeId());
            return ControllerGetVolumeHealthResponse.newBuilder()
                    .setVolumeHealth(Views.health(volumes.get(request.getVolumeId())))
                    .build();
        });
    }

    @Override
    public void controllerListVolumeHealth(
            ControllerListVolumeHealthRequest request, StreamObserver<ControllerListVolumeHealthResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.LIST_VOLUME_HEALTH, "ControllerListVolumeHealth");
            rules.page(request, request.getMaxEntries());
            Page<VolumeRecord> page =
                    volumes.list(request.getMaxEntries(), request.getStartingToken(), config.maxPageSize(), true);
            ControllerListVolumeHealthResponse.Builder response = ControllerListVolumeHealthResponse.newBuilder();
            page.rows().forEach(row -> response.addEntries(Views.health(row)));
            return response.setNextToken(page.nextToken()).build();
        });
    }
}
