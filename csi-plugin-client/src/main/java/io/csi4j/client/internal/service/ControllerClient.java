package io.csi4j.client.internal.service;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.call.UnaryCalls;
import io.csi4j.client.internal.codec.ControllerQueryCodec;
import io.csi4j.client.internal.codec.ControllerSnapshotCodec;
import io.csi4j.client.internal.codec.ControllerVolumeCodec;
import io.csi4j.client.internal.codec.HealthCodec;
import io.csi4j.client.internal.text.RedactedText;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The Controller service over gRPC. */
public final class ControllerClient implements ControllerService {
    private final UnaryCalls calls;

    public ControllerClient(UnaryCalls calls) {
        this.calls = calls;
    }

    @Override
    public CompletableFuture<CreateVolumeResponse> createVolume(CreateVolumeRequest request) {
        io.csi4j.proto.csi.v1.CreateVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.name(),
                        Rpc.CREATE_VOLUME,
                        ControllerGrpc.getCreateVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerVolumeCodec::read);
    }

    @Override
    public CompletableFuture<Void> deleteVolume(DeleteVolumeRequest request) {
        io.csi4j.proto.csi.v1.DeleteVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.DELETE_VOLUME,
                        ControllerGrpc.getDeleteVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<ControllerPublishVolumeResponse> controllerPublishVolume(
            ControllerPublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        ControllerGrpc.getControllerPublishVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerVolumeCodec::read);
    }

    @Override
    public CompletableFuture<Void> controllerUnpublishVolume(ControllerUnpublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                        ControllerGrpc.getControllerUnpublishVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<ValidateVolumeCapabilitiesResponse> validateVolumeCapabilities(
            ValidateVolumeCapabilitiesRequest request) {
        io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest wire = ControllerVolumeCodec.write(request);
        RpcCall<
                        io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest,
                        io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse>
                call = RpcCall.about(
                        request.volumeId().value(),
                        Rpc.VALIDATE_VOLUME_CAPABILITIES,
                        ControllerGrpc.getValidateVolumeCapabilitiesMethod(),
                        wire,
                        () -> SensitiveFields.of(wire));
        return calls.unary(
                request, call, answer -> ControllerVolumeCodec.read(answer, new RedactedText(call.sensitive())));
    }

    @Override
    public CompletableFuture<ListVolumesResponse> listVolumes(ListVolumesRequest request) {
        io.csi4j.proto.csi.v1.ListVolumesRequest wire = ControllerQueryCodec.write(request);
        return calls.unary(
                request,
                new RpcCall<>(
                        Rpc.LIST_VOLUMES,
                        ControllerGrpc.getListVolumesMethod(),
                        wire,
                        null,
                        () -> SensitiveFields.of(wire),
                        !request.startingToken().isEmpty()),
                ControllerQueryCodec::read);
    }

    @Override
    public CompletableFuture<GetCapacityResponse> getCapacity(GetCapacityRequest request) {
        io.csi4j.proto.csi.v1.GetCapacityRequest wire = ControllerQueryCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        null,
                        Rpc.GET_CAPACITY,
                        ControllerGrpc.getGetCapacityMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerQueryCodec::read);
    }

    @Override
    public CompletableFuture<ControllerGetCapabilitiesResponse> controllerGetCapabilities() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.CONTROLLER_GET_CAPABILITIES,
                        ControllerGrpc.getControllerGetCapabilitiesMethod(),
                        io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest.getDefaultInstance()),
                ControllerQueryCodec::read);
    }

    @Override
    public CompletableFuture<CreateSnapshotResponse> createSnapshot(CreateSnapshotRequest request) {
        io.csi4j.proto.csi.v1.CreateSnapshotRequest wire = ControllerSnapshotCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.name(),
                        Rpc.CREATE_SNAPSHOT,
                        ControllerGrpc.getCreateSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerSnapshotCodec::read);
    }

    @Override
    public CompletableFuture<Void> deleteSnapshot(DeleteSnapshotRequest request) {
        io.csi4j.proto.csi.v1.DeleteSnapshotRequest wire = ControllerSnapshotCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.snapshotId().value(),
                        Rpc.DELETE_SNAPSHOT,
                        ControllerGrpc.getDeleteSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<ListSnapshotsResponse> listSnapshots(ListSnapshotsRequest request) {
        io.csi4j.proto.csi.v1.ListSnapshotsRequest wire = ControllerSnapshotCodec.write(request);
        return calls.unary(
                request,
                new RpcCall<>(
                        Rpc.LIST_SNAPSHOTS,
                        ControllerGrpc.getListSnapshotsMethod(),
                        wire,
                        subject(request),
                        () -> SensitiveFields.of(wire),
                        !request.startingToken().isEmpty()),
                ControllerSnapshotCodec::read);
    }

    @Override
    public CompletableFuture<GetSnapshotResponse> getSnapshot(GetSnapshotRequest request) {
        io.csi4j.proto.csi.v1.GetSnapshotRequest wire = ControllerSnapshotCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.snapshotId().value(),
                        Rpc.GET_SNAPSHOT,
                        ControllerGrpc.getGetSnapshotMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerSnapshotCodec::read);
    }

    @Override
    public CompletableFuture<ControllerExpandVolumeResponse> controllerExpandVolume(
            ControllerExpandVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        ControllerGrpc.getControllerExpandVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> ControllerVolumeCodec.read(answer, request));
    }

    @Override
    public CompletableFuture<ControllerGetVolumeResponse> controllerGetVolume(ControllerGetVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerGetVolumeRequest wire = ControllerQueryCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_GET_VOLUME,
                        ControllerGrpc.getControllerGetVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                ControllerQueryCodec::read);
    }

    @Override
    public CompletableFuture<Void> controllerModifyVolume(ControllerModifyVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest wire = ControllerVolumeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_MODIFY_VOLUME,
                        ControllerGrpc.getControllerModifyVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<ControllerListVolumeHealthResponse> controllerListVolumeHealth(
            ControllerListVolumeHealthRequest request) {
        io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest wire = HealthCodec.write(request);
        RpcCall<
                        io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest,
                        io.csi4j.proto.csi.v1.ControllerListVolumeHealthResponse>
                call = new RpcCall<>(
                        Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                        ControllerGrpc.getControllerListVolumeHealthMethod(),
                        wire,
                        null,
                        () -> SensitiveFields.of(wire),
                        !request.startingToken().isEmpty());
        return calls.unary(request, call, answer -> HealthCodec.read(answer, new RedactedText(call.sensitive())));
    }

    @Override
    public CompletableFuture<ControllerGetVolumeHealthResponse> controllerGetVolumeHealth(
            ControllerGetVolumeHealthRequest request) {
        io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest wire = HealthCodec.write(request);
        RpcCall<
                        io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest,
                        io.csi4j.proto.csi.v1.ControllerGetVolumeHealthResponse>
                call = RpcCall.about(
                        request.volumeId().value(),
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        ControllerGrpc.getControllerGetVolumeHealthMethod(),
                        wire,
                        () -> SensitiveFields.of(wire));
        return calls.unary(request, call, answer -> HealthCodec.read(answer, new RedactedText(call.sensitive())));
    }

    /** Returns the id of the snapshot or volume by which the request filters its list; null if the list is not filtered. */
    private static @Nullable String subject(ListSnapshotsRequest request) {
        return request.snapshotId()
                .map(SnapshotId::value)
                .or(() -> request.sourceVolumeId().map(ExternalVolumeId::value))
                .orElse(null);
    }
}
