package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.answer;
import static io.csi4j.testkit.conformance.Defect.none;
import static io.csi4j.testkit.conformance.Defect.planted;
import static io.csi4j.testkit.conformance.Defect.pretends;
import static io.csi4j.testkit.conformance.Defect.refuses;
import static io.csi4j.testkit.conformance.Defect.request;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Defect.Variant;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;

/** Defects of requests that a plugin has to refuse, and of capabilities. */
final class RefusalDefects {
    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private RefusalDefects() {}

    static List<Defect> all() {
        return List.of(
                planted(
                                "the two endpoints have different names",
                                "R14",
                                "identity.every-endpoint",
                                answer(
                                        GetPluginInfoResponse.class,
                                        one -> one.toBuilder()
                                                .setName("other.csi4j.io")
                                                .build()))
                        .in(Variant.TWO_ENDPOINTS),
                planted(
                                "a controller capability has no type",
                                "R42",
                                "identity.controller-capabilities",
                                answer(
                                        ControllerGetCapabilitiesResponse.class,
                                        one -> one.toBuilder()
                                                .addCapabilities(ControllerServiceCapability.getDefaultInstance())
                                                .build()))
                        .warns(),
                planted(
                                "a node capability has no type",
                                "R42",
                                "identity.node-capabilities",
                                answer(
                                        NodeGetCapabilitiesResponse.class,
                                        one -> one.toBuilder()
                                                .addCapabilities(NodeServiceCapability.getDefaultInstance())
                                                .build()))
                        .warns(),
                planted(
                                "an RPC without its capability is answered",
                                "R15",
                                "identity.unsupported-rpc",
                                pretends(
                                        ListVolumesRequest.class,
                                        Code.UNIMPLEMENTED,
                                        ListVolumesResponse.getDefaultInstance()))
                        .in(Variant.NO_LISTS)
                        .warns(),
                planted(
                                "a limit below the required size is ignored",
                                "R55",
                                "create.limit-below-required",
                                request(CreateVolumeRequest.class, RefusalDefects::withoutLimit))
                        .warns(),
                planted(
                        "mutable parameters are refused at the creation",
                        "R42",
                        "create.mutable-parameters",
                        refuses(
                                CreateVolumeRequest.class,
                                one -> one.getModifiableParametersCount() > 0,
                                Code.INVALID_ARGUMENT)),
                noId(
                        "get-volume.no-id",
                        ControllerGetVolumeRequest.class,
                        ControllerGetVolumeResponse.getDefaultInstance()),
                noId(
                        "health.controller-no-id",
                        ControllerGetVolumeHealthRequest.class,
                        ControllerGetVolumeHealthResponse.getDefaultInstance()),
                planted(
                                "the health of an unknown volume is answered",
                                "R104",
                                "health.controller-unknown",
                                pretends(
                                        ControllerGetVolumeHealthRequest.class,
                                        Code.NOT_FOUND,
                                        ControllerGetVolumeHealthResponse.getDefaultInstance()))
                        .warns(),
                noId(
                        "health.node-no-id",
                        NodeGetVolumeHealthRequest.class,
                        NodeGetVolumeHealthResponse.getDefaultInstance()),
                planted("errors have details", "R32", "secrets.not-shown", () -> call -> {
                    try {
                        return call.forward();
                    } catch (StatusRuntimeException e) {
                        Metadata trailers = new Metadata();
                        trailers.put(DETAILS, new byte[] {8, 3});
                        throw e.getStatus().asRuntimeException(trailers);
                    }
                }),
                noId("get-snapshot.no-id", GetSnapshotRequest.class, GetSnapshotResponse.getDefaultInstance()),
                planted(
                                "missing sources are accepted",
                                "R22",
                                "group.no-sources",
                                pretends(
                                        CreateVolumeGroupSnapshotRequest.class,
                                        Code.INVALID_ARGUMENT,
                                        CreateVolumeGroupSnapshotResponse.newBuilder()
                                                .setGroupSnapshot(VolumeGroupSnapshot.newBuilder()
                                                        .setGroupSnapshotId("empty"))
                                                .build()))
                        .warns(),
                noId(
                        "group.get-no-id",
                        GetVolumeGroupSnapshotRequest.class,
                        GetVolumeGroupSnapshotResponse.getDefaultInstance()),
                noId(
                        "group.delete-no-id",
                        DeleteVolumeGroupSnapshotRequest.class,
                        DeleteVolumeGroupSnapshotResponse.getDefaultInstance()),
                planted("a missing id is replaced", "R22", "metadata.no-id", none())
                        .streaming(message -> message instanceof GetMetadataAllocatedRequest one
                                ? one.toBuilder().setSnapshotId("unknown").build()
                                : message),
                planted("unknown snapshots have no ids", "R103", "metadata.delta-unknown", none())
                        .streaming(message -> message instanceof GetMetadataDeltaRequest one
                                ? one.toBuilder()
                                        .clearBaseSnapshotId()
                                        .clearTargetSnapshotId()
                                        .build()
                                : message));
    }

    private static CreateVolumeRequest withoutLimit(CreateVolumeRequest request) {
        CreateVolumeRequest.Builder changed = request.toBuilder();
        changed.getCapacityRangeBuilder().clearLimitBytes();
        return changed.build();
    }

    private static Defect noId(String check, Class<? extends Message> type, Message answer) {
        return planted("a missing id is accepted", "R22", check, pretends(type, Code.INVALID_ARGUMENT, answer));
    }
}
