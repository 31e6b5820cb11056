package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.values.internal.CapabilityCodec;
import io.csi4j.values.internal.WireNumbers;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Encodes and decodes the health of volumes and backends, for the Controller and the Node service (R104). Methods that
 * read texts of the plugin have a parameter {@code redacted}: a function that removes sensitive values from a text.
 */
public final class HealthCodec {
    private static final WireNumbers<VolumeHealthStatus> VOLUME_STATUS = new WireNumbers<>(VolumeHealthStatus.values());
    private static final WireNumbers<StorageHealthStatus> STORAGE_STATUS =
            new WireNumbers<>(StorageHealthStatus.values());

    private HealthCodec() {}

    public static io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest write(
            ControllerListVolumeHealthRequest request) {
        return io.csi4j.proto.csi.v1.ControllerListVolumeHealthRequest.newBuilder()
                .setMaxEntries(request.maxEntries())
                .setStartingToken(request.startingToken())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static ControllerListVolumeHealthResponse read(
            io.csi4j.proto.csi.v1.ControllerListVolumeHealthResponse wire, UnaryOperator<String> redacted) {
        return new ControllerListVolumeHealthResponse(
                AnswerCheck.each("entries", wire.getEntriesList(), health -> read(health, redacted)),
                wire.getNextToken());
    }

    public static io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest write(
            ControllerGetVolumeHealthRequest request) {
        return io.csi4j.proto.csi.v1.ControllerGetVolumeHealthRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static ControllerGetVolumeHealthResponse read(
            io.csi4j.proto.csi.v1.ControllerGetVolumeHealthResponse wire, UnaryOperator<String> redacted) {
        return new ControllerGetVolumeHealthResponse(AnswerCheck.optional(
                "volumeHealth", wire.hasVolumeHealth(), wire.getVolumeHealth(), health -> read(health, redacted)));
    }

    public static io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest write(NodeGetVolumeHealthRequest request) {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest.newBuilder()
                        .setVolumeId(request.volumeId().value());
        request.volumePublishPath().ifPresent(wire::setVolumePublishPath);
        request.stagingTargetPath().ifPresent(wire::setStagingTargetPath);
        return wire.build();
    }

    public static NodeGetVolumeHealthResponse read(
            io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse wire, UnaryOperator<String> redacted) {
        return new NodeGetVolumeHealthResponse(AnswerCheck.optional(
                "volumeHealth", wire.hasVolumeHealth(), wire.getVolumeHealth(), health -> read(health, redacted)));
    }

    public static io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest write(NodeGetStorageHealthRequest request) {
        return io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest.newBuilder()
                .putAllSecrets(request.secrets().asMap())
                .build();
    }

    public static NodeGetStorageHealthResponse read(
            io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse wire, UnaryOperator<String> redacted) {
        return new NodeGetStorageHealthResponse(wire.getBackendHealthList().stream()
                .map(health -> read(health, redacted))
                .toList());
    }

    private static VolumeHealth read(io.csi4j.proto.csi.v1.VolumeHealth wire, UnaryOperator<String> redacted) {
        return new VolumeHealth(
                ExternalVolumeId.of(AnswerCheck.given("volumeId", wire.getVolumeId())),
                wire.getHealthStatusesList().stream()
                        .map(entry -> read(entry, redacted))
                        .toList());
    }

    private static VolumeHealthEntry read(
            io.csi4j.proto.csi.v1.VolumeHealth.VolumeHealthEntry wire, UnaryOperator<String> redacted) {
        int status = wire.getStatusValue();
        return new VolumeHealthEntry(
                VOLUME_STATUS.of(status), status, redacted.apply(wire.getReason()), redacted.apply(wire.getMessage()));
    }

    private static StorageBackendHealth read(
            io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth wire,
            UnaryOperator<String> redacted) {
        int status = wire.getStatusValue();
        return new StorageBackendHealth(
                STORAGE_STATUS.of(status),
                status,
                redacted.apply(wire.getReason()),
                redacted.apply(wire.getMessage()),
                wire.hasVolumeCapability() ? CapabilityCodec.read(wire.getVolumeCapability()) : Optional.empty());
    }
}
