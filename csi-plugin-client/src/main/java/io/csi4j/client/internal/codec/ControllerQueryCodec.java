package io.csi4j.client.internal.codec;

import com.google.protobuf.Int64Value;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.values.internal.CapabilityCodec;
import java.util.Optional;

/**
 * Encodes and decodes the queries of the Controller service about volumes, capacity and capabilities (R42, R70-R73, R75).
 */
public final class ControllerQueryCodec {
    private ControllerQueryCodec() {}

    public static io.csi4j.proto.csi.v1.ListVolumesRequest write(ListVolumesRequest request) {
        return io.csi4j.proto.csi.v1.ListVolumesRequest.newBuilder()
                .setMaxEntries(request.maxEntries())
                .setStartingToken(request.startingToken())
                .build();
    }

    public static ListVolumesResponse read(io.csi4j.proto.csi.v1.ListVolumesResponse wire) {
        return new ListVolumesResponse(
                AnswerCheck.each("entries", wire.getEntriesList(), ControllerQueryCodec::read), wire.getNextToken());
    }

    private static ListVolumesResponse.Entry read(io.csi4j.proto.csi.v1.ListVolumesResponse.Entry wire) {
        return new ListVolumesResponse.Entry(
                AnswerCheck.message("volume", wire.hasVolume(), wire.getVolume(), VolumeCodec::read),
                wire.hasStatus() ? Optional.of(VolumeCodec.read(wire.getStatus())) : Optional.empty());
    }

    public static io.csi4j.proto.csi.v1.GetCapacityRequest write(GetCapacityRequest request) {
        io.csi4j.proto.csi.v1.GetCapacityRequest.Builder wire =
                io.csi4j.proto.csi.v1.GetCapacityRequest.newBuilder().putAllParameters(request.parameters());
        request.volumeCapabilities()
                .forEach(capability -> wire.addVolumeCapabilities(CapabilityCodec.write(capability)));
        request.accessibleTopology().map(TopologyCodec::write).ifPresent(wire::setAccessibleTopology);
        return wire.build();
    }

    public static GetCapacityResponse read(io.csi4j.proto.csi.v1.GetCapacityResponse wire) {
        return new GetCapacityResponse(
                AnswerCheck.notNegative("availableCapacity", wire.getAvailableCapacity()),
                size("maximumVolumeSize", wire.hasMaximumVolumeSize(), wire.getMaximumVolumeSize()),
                size("minimumVolumeSize", wire.hasMinimumVolumeSize(), wire.getMinimumVolumeSize()));
    }

    private static Optional<Long> size(String field, boolean present, Int64Value size) {
        return present ? Optional.of(AnswerCheck.notNegative(field, size.getValue())) : Optional.empty();
    }

    public static ControllerGetCapabilitiesResponse read(io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse wire) {
        return new ControllerGetCapabilitiesResponse(CapabilitySet.fromNumbers(
                ControllerCapability.class,
                wire.getCapabilitiesList().stream()
                        .map(capability -> capability.getRpc().getTypeValue())
                        .toList()));
    }

    public static io.csi4j.proto.csi.v1.ControllerGetVolumeRequest write(ControllerGetVolumeRequest request) {
        return io.csi4j.proto.csi.v1.ControllerGetVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .build();
    }

    public static ControllerGetVolumeResponse read(io.csi4j.proto.csi.v1.ControllerGetVolumeResponse wire) {
        return new ControllerGetVolumeResponse(
                AnswerCheck.message("volume", wire.hasVolume(), wire.getVolume(), VolumeCodec::read),
                wire.hasStatus() ? Optional.of(VolumeCodec.read(wire.getStatus())) : Optional.empty());
    }
}
