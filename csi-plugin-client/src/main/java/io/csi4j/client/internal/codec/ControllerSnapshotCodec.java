package io.csi4j.client.internal.codec;

import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;

/** Encodes and decodes the snapshot RPCs of the Controller service (R76-R81). */
public final class ControllerSnapshotCodec {
    private ControllerSnapshotCodec() {}

    public static io.csi4j.proto.csi.v1.CreateSnapshotRequest write(CreateSnapshotRequest request) {
        io.csi4j.proto.csi.v1.CreateSnapshotRequest.Builder wire =
                io.csi4j.proto.csi.v1.CreateSnapshotRequest.newBuilder()
                        .setSourceVolumeId(request.sourceVolumeId().value())
                        .setName(request.name())
                        .putAllSecrets(request.secrets().asMap())
                        .putAllParameters(request.parameters());
        request.accessibilityRequirements().map(TopologyCodec::write).ifPresent(wire::setAccessibilityRequirements);
        return wire.build();
    }

    public static CreateSnapshotResponse read(io.csi4j.proto.csi.v1.CreateSnapshotResponse wire) {
        return new CreateSnapshotResponse(
                AnswerCheck.message("snapshot", wire.hasSnapshot(), wire.getSnapshot(), SnapshotCodec::read));
    }

    public static io.csi4j.proto.csi.v1.DeleteSnapshotRequest write(DeleteSnapshotRequest request) {
        return io.csi4j.proto.csi.v1.DeleteSnapshotRequest.newBuilder()
                .setSnapshotId(request.snapshotId().value())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static io.csi4j.proto.csi.v1.ListSnapshotsRequest write(ListSnapshotsRequest request) {
        io.csi4j.proto.csi.v1.ListSnapshotsRequest.Builder wire =
                io.csi4j.proto.csi.v1.ListSnapshotsRequest.newBuilder()
                        .setMaxEntries(request.maxEntries())
                        .setStartingToken(request.startingToken())
                        .putAllSecrets(request.secrets().asMap());
        request.sourceVolumeId().ifPresent(id -> wire.setSourceVolumeId(id.value()));
        request.snapshotId().ifPresent(id -> wire.setSnapshotId(id.value()));
        return wire.build();
    }

    public static ListSnapshotsResponse read(io.csi4j.proto.csi.v1.ListSnapshotsResponse wire) {
        return new ListSnapshotsResponse(
                AnswerCheck.each(
                        "entries",
                        wire.getEntriesList(),
                        entry -> AnswerCheck.message(
                                "snapshot", entry.hasSnapshot(), entry.getSnapshot(), SnapshotCodec::read)),
                wire.getNextToken());
    }

    public static io.csi4j.proto.csi.v1.GetSnapshotRequest write(GetSnapshotRequest request) {
        return io.csi4j.proto.csi.v1.GetSnapshotRequest.newBuilder()
                .setSnapshotId(request.snapshotId().value())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static GetSnapshotResponse read(io.csi4j.proto.csi.v1.GetSnapshotResponse wire) {
        return new GetSnapshotResponse(
                AnswerCheck.message("snapshot", wire.hasSnapshot(), wire.getSnapshot(), SnapshotCodec::read));
    }
}
