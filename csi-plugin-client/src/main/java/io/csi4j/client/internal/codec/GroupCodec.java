package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.GroupControllerGetCapabilitiesResponse;

/** Encodes and decodes the GroupController service (R97-R100). */
public final class GroupCodec {
    private GroupCodec() {}

    public static GroupControllerGetCapabilitiesResponse read(
            io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesResponse wire) {
        return new GroupControllerGetCapabilitiesResponse(CapabilitySet.fromNumbers(
                GroupControllerCapability.class,
                wire.getCapabilitiesList().stream()
                        .map(capability -> capability.getRpc().getTypeValue())
                        .toList()));
    }

    public static io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest write(
            CreateVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest.Builder wire =
                io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest.newBuilder()
                        .setName(request.name())
                        .putAllSecrets(request.secrets().asMap())
                        .putAllParameters(request.parameters());
        request.sourceVolumeIds().forEach(id -> wire.addSourceVolumeIds(id.value()));
        return wire.build();
    }

    public static CreateVolumeGroupSnapshotResponse read(io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotResponse wire) {
        return new CreateVolumeGroupSnapshotResponse(AnswerCheck.message(
                "groupSnapshot", wire.hasGroupSnapshot(), wire.getGroupSnapshot(), SnapshotCodec::read));
    }

    public static io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest write(
            DeleteVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest.Builder wire =
                io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest.newBuilder()
                        .setGroupSnapshotId(request.groupSnapshotId().value())
                        .putAllSecrets(request.secrets().asMap());
        request.snapshotIds().forEach(id -> wire.addSnapshotIds(id.value()));
        return wire.build();
    }

    public static io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest write(GetVolumeGroupSnapshotRequest request) {
        io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest.Builder wire =
                io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest.newBuilder()
                        .setGroupSnapshotId(request.groupSnapshotId().value())
                        .putAllSecrets(request.secrets().asMap());
        request.snapshotIds().forEach(id -> wire.addSnapshotIds(id.value()));
        return wire.build();
    }

    public static GetVolumeGroupSnapshotResponse read(io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotResponse wire) {
        return new GetVolumeGroupSnapshotResponse(AnswerCheck.message(
                "groupSnapshot", wire.hasGroupSnapshot(), wire.getGroupSnapshot(), SnapshotCodec::read));
    }
}
