package io.csi4j.client.internal.codec;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.RelayedRequests;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;

/** Decodes relayed requests of the GroupController service; see {@link RelayedRequests}. */
public final class RelayedGroupRequests {
    private RelayedGroupRequests() {}

    public static CsiRequest read(Rpc rpc, Message wire, RequestReader in) {
        return switch (rpc) {
            case GROUP_CONTROLLER_GET_CAPABILITIES -> CsiRequest.empty();
            case CREATE_VOLUME_GROUP_SNAPSHOT ->
                create((io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest) wire, in);
            case DELETE_VOLUME_GROUP_SNAPSHOT ->
                delete((io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest) wire, in);
            case GET_VOLUME_GROUP_SNAPSHOT -> get((io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest) wire, in);
            default -> throw new IllegalArgumentException(rpc.csiName() + " is not of the GroupController service");
        };
    }

    private static CsiRequest create(io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest wire, RequestReader in) {
        CreateVolumeGroupSnapshotRequest.Builder request = CreateVolumeGroupSnapshotRequest.builder(
                        wire.getName(), in.ids("sourceVolumeIds", wire.getSourceVolumeIdsList(), ExternalVolumeId::of))
                .secrets(Secrets.of(wire.getSecretsMap()))
                .parameters(wire.getParametersMap());
        return in.done(request::build);
    }

    private static CsiRequest delete(io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest wire, RequestReader in) {
        DeleteVolumeGroupSnapshotRequest.Builder request = DeleteVolumeGroupSnapshotRequest.builder(
                        in.id("groupSnapshotId", wire.getGroupSnapshotId(), GroupSnapshotId::of),
                        in.ids("snapshotIds", wire.getSnapshotIdsList(), SnapshotId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }

    private static CsiRequest get(io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotRequest wire, RequestReader in) {
        GetVolumeGroupSnapshotRequest.Builder request = GetVolumeGroupSnapshotRequest.builder(
                        in.id("groupSnapshotId", wire.getGroupSnapshotId(), GroupSnapshotId::of),
                        in.ids("snapshotIds", wire.getSnapshotIdsList(), SnapshotId::of))
                .secrets(Secrets.of(wire.getSecretsMap()));
        return in.done(request::build);
    }
}
