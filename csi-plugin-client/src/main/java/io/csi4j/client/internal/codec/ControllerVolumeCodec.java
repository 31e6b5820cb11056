package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.values.internal.CapabilityCodec;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Encodes and decodes the RPCs of the Controller service that act on one volume (R51-R69, R74, R82-R84). Methods that
 * read texts of the plugin have a parameter {@code redacted}: a function that removes sensitive values from a text.
 */
public final class ControllerVolumeCodec {
    private ControllerVolumeCodec() {}

    public static io.csi4j.proto.csi.v1.CreateVolumeRequest write(CreateVolumeRequest request) {
        io.csi4j.proto.csi.v1.CreateVolumeRequest.Builder wire = io.csi4j.proto.csi.v1.CreateVolumeRequest.newBuilder()
                .setName(request.name())
                .putAllParameters(request.parameters())
                .putAllSecrets(request.secrets().asMap())
                .putAllModifiableParameters(request.mutableParameters());
        request.capacityRange().map(VolumeCodec::write).ifPresent(wire::setCapacityRange);
        request.volumeCapabilities()
                .forEach(capability -> wire.addVolumeCapabilities(CapabilityCodec.write(capability)));
        request.volumeContentSource().map(VolumeCodec::write).ifPresent(wire::setVolumeContentSource);
        request.accessibilityRequirements().map(TopologyCodec::write).ifPresent(wire::setAccessibilityRequirements);
        return wire.build();
    }

    public static CreateVolumeResponse read(io.csi4j.proto.csi.v1.CreateVolumeResponse wire) {
        return new CreateVolumeResponse(
                AnswerCheck.message("volume", wire.hasVolume(), wire.getVolume(), VolumeCodec::read));
    }

    public static io.csi4j.proto.csi.v1.DeleteVolumeRequest write(DeleteVolumeRequest request) {
        return io.csi4j.proto.csi.v1.DeleteVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest write(ControllerPublishVolumeRequest request) {
        return io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .setNodeId(request.nodeId().value())
                .setVolumeCapability(CapabilityCodec.write(request.volumeCapability()))
                .setReadonly(request.readonly())
                .putAllSecrets(request.secrets().asMap())
                .putAllVolumeContext(request.volumeContext().asMap())
                .build();
    }

    public static ControllerPublishVolumeResponse read(io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse wire) {
        return new ControllerPublishVolumeResponse(PublishContext.of(wire.getPublishContextMap()));
    }

    /** Encodes the request. If it has no node id, the plugin unpublishes the volume from all nodes (R66). */
    public static io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest write(
            ControllerUnpublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest.Builder wire =
                io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .putAllSecrets(request.secrets().asMap());
        request.nodeId().ifPresent(nodeId -> wire.setNodeId(nodeId.value()));
        return wire.build();
    }

    public static io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest write(
            ValidateVolumeCapabilitiesRequest request) {
        io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest.Builder wire =
                io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .putAllVolumeContext(request.volumeContext().asMap())
                        .putAllParameters(request.parameters())
                        .putAllSecrets(request.secrets().asMap())
                        .putAllModifiableParameters(request.mutableParameters());
        request.volumeCapabilities()
                .forEach(capability -> wire.addVolumeCapabilities(CapabilityCodec.write(capability)));
        return wire.build();
    }

    public static ValidateVolumeCapabilitiesResponse read(
            io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse wire, UnaryOperator<String> redacted) {
        return new ValidateVolumeCapabilitiesResponse(
                wire.hasConfirmed() ? Optional.of(read(wire.getConfirmed())) : Optional.empty(),
                redacted.apply(wire.getMessage()));
    }

    private static ValidateVolumeCapabilitiesResponse.Confirmed read(
            io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed wire) {
        return new ValidateVolumeCapabilitiesResponse.Confirmed(
                VolumeContext.of(wire.getVolumeContextMap()),
                CapabilityCodec.readAll(wire.getVolumeCapabilitiesList()),
                wire.getParametersMap(),
                wire.getModifiableParametersMap());
    }

    public static io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest write(ControllerExpandVolumeRequest request) {
        io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest.Builder wire =
                io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .setCapacityRange(VolumeCodec.write(request.capacityRange()))
                        .putAllSecrets(request.secrets().asMap());
        request.volumeCapability().map(CapabilityCodec::write).ifPresent(wire::setVolumeCapability);
        return wire.build();
    }

    public static ControllerExpandVolumeResponse read(
            io.csi4j.proto.csi.v1.ControllerExpandVolumeResponse wire, ControllerExpandVolumeRequest request) {
        long required = request.capacityRange().requiredBytes();
        return new ControllerExpandVolumeResponse(
                AnswerCheck.grown("capacityBytes", wire.getCapacityBytes(), required), wire.getNodeExpansionRequired());
    }

    public static io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest write(ControllerModifyVolumeRequest request) {
        return io.csi4j.proto.csi.v1.ControllerModifyVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .putAllSecrets(request.secrets().asMap())
                .putAllModifiableParameters(request.mutableParameters())
                .build();
    }
}
