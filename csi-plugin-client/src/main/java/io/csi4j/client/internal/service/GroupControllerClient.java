package io.csi4j.client.internal.service;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.call.UnaryCalls;
import io.csi4j.client.internal.codec.GroupCodec;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import java.util.concurrent.CompletableFuture;

/** The GroupController service over gRPC. */
public final class GroupControllerClient implements GroupControllerService {
    private final UnaryCalls calls;

    public GroupControllerClient(UnaryCalls calls) {
        this.calls = calls;
    }

    @Override
    public CompletableFuture<GroupControllerGetCapabilitiesResponse> groupControllerGetCapabilities() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.GROUP_CONTROLLER_GET_CAPABILITIES,
                        GroupControllerGrpc.getGroupControllerGetCapabilitiesMethod(),
                        io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesRequest.getDefaultInstance()),
                GroupCodec::read);
    }

    @Override
    public CompletableFuture<CreateVolumeGroupSnapshotResponse> createVolumeGroupSnapshot(
            CreateVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest wire = GroupCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.name(),
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        GroupControllerGrpc.getCreateVolumeGroupSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                GroupCodec::read);
    }

    @Override
    public CompletableFuture<Void> deleteVolumeGroupSnapshot(DeleteVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest wire = GroupCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.groupSnapshotId().value(),
                        Rpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                        GroupControllerGrpc.getDeleteVolumeGroupSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<GetVolumeGroupSnapshotResponse> getVolumeGroupSnapshot(
            GetVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest wire = GroupCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.groupSnapshotId().value(),
                        Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                        GroupControllerGrpc.getGetVolumeGroupSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                GroupCodec::read);
    }
}
