package io.csi4j.node.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.values.internal.CapabilityCodec;
import io.csi4j.values.internal.WireNumbers;
import java.util.List;
import java.util.Optional;

/**
 * Converts the statistics and health of volumes and storage to CSI messages and back. The values need no check, because the CSI client of
 * the agent has checked them.
 */
public final class NodeHealthCodec {
    private static final WireNumbers<VolumeUsageUnit> UNITS = new WireNumbers<>(VolumeUsageUnit.values());
    private static final WireNumbers<VolumeHealthStatus> VOLUME_STATUS = new WireNumbers<>(VolumeHealthStatus.values());
    private static final WireNumbers<StorageHealthStatus> STORAGE_STATUS =
            new WireNumbers<>(StorageHealthStatus.values());

    private NodeHealthCodec() {}

    @SuppressWarnings("deprecation") // CSI deprecated the volume condition in 1.13; plugins of CSI 1.12 report it.
    public static ByteString write(NodeGetVolumeStatsResponse stats) {
        io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.newBuilder();
        for (VolumeUsage usage : stats.usage()) {
            wire.addUsageBuilder()
                    .setAvailable(usage.available())
                    .setTotal(usage.total())
                    .setUsed(usage.used())
                    .setUnitValue(usage.unit().number());
        }
        stats.volumeCondition()
                .ifPresent(condition -> wire.getVolumeConditionBuilder()
                        .setAbnormal(condition.abnormal())
                        .setMessage(condition.message()));
        return wire.build().toByteString();
    }

    @SuppressWarnings("deprecation") // CSI deprecated the volume condition in 1.13; plugins of CSI 1.12 report it.
    public static NodeGetVolumeStatsResponse stats(ByteString bytes) throws InvalidProtocolBufferException {
        io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.parseFrom(bytes);
        return new NodeGetVolumeStatsResponse(
                wire.getUsageList().stream()
                        .map(usage -> new VolumeUsage(
                                usage.getAvailable(),
                                usage.getTotal(),
                                usage.getUsed(),
                                UNITS.of(usage.getUnitValue())))
                        .toList(),
                wire.hasVolumeCondition()
                        ? Optional.of(new VolumeCondition(
                                wire.getVolumeCondition().getAbnormal(),
                                wire.getVolumeCondition().getMessage()))
                        : Optional.empty());
    }

    public static ByteString write(NodeGetVolumeHealthResponse health) {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.newBuilder();
        health.volumeHealth().ifPresent(reported -> {
            wire.getVolumeHealthBuilder().setVolumeId(reported.volumeId().value());
            for (VolumeHealthEntry entry : reported.healthStatuses()) {
                wire.getVolumeHealthBuilder()
                        .addHealthStatusesBuilder()
                        .setStatusValue(entry.statusNumber())
                        .setReason(entry.reason())
                        .setMessage(entry.message());
            }
        });
        return wire.build().toByteString();
    }

    public static NodeGetVolumeHealthResponse health(ByteString bytes) throws InvalidProtocolBufferException {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.parseFrom(bytes);
        return new NodeGetVolumeHealthResponse(
                wire.hasVolumeHealth() ? Optional.of(read(wire.getVolumeHealth())) : Optional.empty());
    }

    private static VolumeHealth read(io.csi4j.proto.csi.v1.VolumeHealth wire) {
        List<VolumeHealthEntry> entries = wire.getHealthStatusesList().stream()
                .map(entry -> new VolumeHealthEntry(
                        VOLUME_STATUS.of(entry.getStatusValue()),
                        entry.getStatusValue(),
                        entry.getReason(),
                        entry.getMessage()))
                .toList();
        return new VolumeHealth(ExternalVolumeId.of(wire.getVolumeId()), entries);
    }

    public static ByteString write(NodeGetStorageHealthResponse health) {
        io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.newBuilder();
        for (StorageBackendHealth entry : health.backendHealth()) {
            io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.StorageBackendHealth.Builder reported =
                    wire.addBackendHealthBuilder()
                            .setStatusValue(entry.statusNumber())
                            .setReason(entry.reason())
                            .setMessage(entry.message());
            entry.volumeCapability().map(CapabilityCodec::write).ifPresent(reported::setVolumeCapability);
        }
        return wire.build().toByteString();
    }

    public static NodeGetStorageHealthResponse storageHealth(ByteString bytes) throws InvalidProtocolBufferException {
        return new NodeGetStorageHealthResponse(
                io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.parseFrom(bytes).getBackendHealthList().stream()
                        .map(entry -> new StorageBackendHealth(
                                STORAGE_STATUS.of(entry.getStatusValue()),
                                entry.getStatusValue(),
                                entry.getReason(),
                                entry.getMessage(),
                                entry.hasVolumeCapability()
                                        ? CapabilityCodec.read(entry.getVolumeCapability())
                                        : Optional.empty()))
                        .toList());
    }
}
