package io.csi4j.agent.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import java.util.List;
import java.util.Optional;

/**
 * Converts the statistics and health of volumes and storage to CSI messages and back. The values need no check, because the CSI client of
 * the agent has checked them.
 */
public final class NodeHealthCodec {
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
                                named(VolumeUsageUnit.values(), usage.getUnitValue())))
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
                        named(VolumeHealthStatus.values(), entry.getStatusValue()),
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
            entry.volumeCapability().map(NodeHealthCodec::write).ifPresent(reported::setVolumeCapability);
        }
        return wire.build().toByteString();
    }

    public static NodeGetStorageHealthResponse storageHealth(ByteString bytes) throws InvalidProtocolBufferException {
        return new NodeGetStorageHealthResponse(
                io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.parseFrom(bytes).getBackendHealthList().stream()
                        .map(entry -> new StorageBackendHealth(
                                named(StorageHealthStatus.values(), entry.getStatusValue()),
                                entry.getStatusValue(),
                                entry.getReason(),
                                entry.getMessage(),
                                entry.hasVolumeCapability() ? read(entry.getVolumeCapability()) : Optional.empty()))
                        .toList());
    }

    private static io.csi4j.proto.csi.v1.VolumeCapability write(VolumeCapability capability) {
        io.csi4j.proto.csi.v1.VolumeCapability.Builder wire = io.csi4j.proto.csi.v1.VolumeCapability.newBuilder();
        wire.getAccessModeBuilder().setModeValue(capability.accessMode().number());
        if (capability.accessType() instanceof MountVolume mount) {
            wire.getMountBuilder()
                    .setFsType(mount.fsType())
                    .addAllMountFlags(mount.mountFlags().asList())
                    .setVolumeMountGroup(mount.volumeMountGroup());
        } else {
            wire.getBlockBuilder();
        }
        return wire.build();
    }

    /** Reads a capability; returns empty for an access type that this version does not know, as the CSI client does. */
    private static Optional<VolumeCapability> read(io.csi4j.proto.csi.v1.VolumeCapability wire) {
        AccessMode mode = named(AccessMode.values(), wire.getAccessMode().getModeValue());
        return switch (wire.getAccessTypeCase()) {
            case BLOCK -> Optional.of(VolumeCapability.block(mode));
            case MOUNT ->
                Optional.of(VolumeCapability.mount(
                        mode,
                        MountVolume.builder()
                                .fsType(wire.getMount().getFsType())
                                .mountFlags(MountFlags.of(wire.getMount().getMountFlagsList()))
                                .volumeMountGroup(wire.getMount().getVolumeMountGroup())
                                .build()));
            case ACCESSTYPE_NOT_SET -> Optional.empty();
        };
    }

    /** Returns the enum value with a number; for an unknown number, the value with the number 0. */
    private static <E extends WireEnum> E named(E[] values, int number) {
        for (E value : values) {
            if (value.number() == number) {
                return value;
            }
        }
        return values[0];
    }
}
