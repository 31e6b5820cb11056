package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotResponse;
import io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotResponse;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.GroupControllerServiceCapability;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.rule.FieldRules;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.StoredGroups;
import io.grpc.stub.StreamObserver;

/** The GroupController service (R97-R100). */
public final class FakeGroupService extends GroupControllerGrpc.GroupControllerImplBase {
    private final StoredGroups groups;
    private final InFlight inFlight;
    private final CallHook hook;

    /**
     * Creates the service.
     *
     * @param backend the plugin's storage
     * @param inFlight the calls in flight, shared with the controller
     * @param hook called at the start of each changing call
     */
    public FakeGroupService(Backend backend, InFlight inFlight, CallHook hook) {
        this.groups = new StoredGroups(backend);
        this.inFlight = inFlight;
        this.hook = hook;
    }

    @Override
    public void groupControllerGetCapabilities(
            GroupControllerGetCapabilitiesRequest request,
            StreamObserver<GroupControllerGetCapabilitiesResponse> caller) {
        Answer.with(
                caller,
                () -> GroupControllerGetCapabilitiesResponse.newBuilder()
                        .addCapabilities(GroupControllerServiceCapability.newBuilder()
                                .setRpc(GroupControllerServiceCapability.RPC
                                        .newBuilder()
                                        .setTypeValue(FakeCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT.number())))
                        .build());
    }

    @Override
    public void createVolumeGroupSnapshot(
            CreateVolumeGroupSnapshotRequest request, StreamObserver<CreateVolumeGroupSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Problems problems = new Problems();
            FieldRules.check(request, problems);
            problems.required(request.getName(), "name");
            problems.require(
                    request.getSourceVolumeIdsCount() > 0, "source_volume_ids", "needs at least one element (R22)");
            problems.require(
                    request.getSourceVolumeIdsList().stream().distinct().count() == request.getSourceVolumeIdsCount(),
                    "source_volume_ids",
                    "names a volume twice; name each once");
            problems.refuseIfAny();
            return inFlight.alone(
                    "CreateVolumeGroupSnapshot",
                    "new group " + request.getName(),
                    hook,
                    () -> CreateVolumeGroupSnapshotResponse.newBuilder()
                            .setGroupSnapshot(groups.create(request))
                            .build());
        });
    }

    @Override
    public void deleteVolumeGroupSnapshot(
            DeleteVolumeGroupSnapshotRequest request, StreamObserver<DeleteVolumeGroupSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Problems problems = new Problems();
            FieldRules.check(request, problems);
            problems.required(request.getGroupSnapshotId(), "group_snapshot_id");
            problems.refuseIfAny();
            return inFlight.alone("DeleteVolumeGroupSnapshot", request.getGroupSnapshotId(), hook, () -> {
                groups.delete(request.getGroupSnapshotId(), request.getSnapshotIdsList());
                return DeleteVolumeGroupSnapshotResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void getVolumeGroupSnapshot(
            GetVolumeGroupSnapshotRequest request, StreamObserver<GetVolumeGroupSnapshotResponse> caller) {
        Answer.with(caller, () -> {
            Problems problems = new Problems();
            FieldRules.check(request, problems);
            problems.required(request.getGroupSnapshotId(), "group_snapshot_id");
            problems.refuseIfAny();
            return GetVolumeGroupSnapshotResponse.newBuilder()
                    .setGroupSnapshot(groups.get(request.getGroupSnapshotId(), request.getSnapshotIdsList()))
                    .build();
        });
    }
}
