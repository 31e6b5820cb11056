package io.csi4j.agent;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import java.util.List;

/** What a node tells about a volume, in CSI's own messages. The agent's client has checked it. */
final class LookCodec {
    private LookCodec() {}

    @SuppressWarnings("deprecation") // the condition is told by plugins until CSI 1.12
    static ByteString write(NodeGetVolumeStatsResponse stats) {
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

    @SuppressWarnings("deprecation") // the condition is told by plugins until CSI 1.12
    static NodeGetVolumeStatsResponse stats(ByteString bytes) throws InvalidProtocolBufferException {
        io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.parseFrom(bytes);
        NodeGetVolumeStatsResponse.Builder stats = NodeGetVolumeStatsResponse.builder()
                .usage(wire.getUsageList().stream()
                        .map(usage -> new VolumeUsage(
                                usage.getAvailable(),
                                usage.getTotal(),
                                usage.getUsed(),
                                named(VolumeUsageUnit.values(), usage.getUnitValue())))
                        .toList());
        if (wire.hasVolumeCondition()) {
            stats.volumeCondition(new VolumeCondition(
                    wire.getVolumeCondition().getAbnormal(),
                    wire.getVolumeCondition().getMessage()));
        }
        return stats.build();
    }

    static ByteString write(NodeGetVolumeHealthResponse health) {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.newBuilder();
        health.volumeHealth().ifPresent(told -> {
            wire.getVolumeHealthBuilder().setVolumeId(told.volumeId().value());
            for (VolumeHealthEntry entry : told.healthStatuses()) {
                wire.getVolumeHealthBuilder()
                        .addHealthStatusesBuilder()
                        .setStatusValue(entry.statusNumber())
                        .setReason(entry.reason())
                        .setMessage(entry.message());
            }
        });
        return wire.build().toByteString();
    }

    static NodeGetVolumeHealthResponse health(ByteString bytes) throws InvalidProtocolBufferException {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.parseFrom(bytes);
        NodeGetVolumeHealthResponse.Builder health = NodeGetVolumeHealthResponse.builder();
        if (wire.hasVolumeHealth()) {
            List<VolumeHealthEntry> entries = wire.getVolumeHealth().getHealthStatusesList().stream()
                    .map(entry -> new VolumeHealthEntry(
                            named(VolumeHealthStatus.values(), entry.getStatusValue()),
                            entry.getStatusValue(),
                            entry.getReason(),
                            entry.getMessage()))
                    .toList();
            health.volumeHealth(
                    new VolumeHealth(ExternalVolumeId.of(wire.getVolumeHealth().getVolumeId()), entries));
        }
        return health.build();
    }

    /** A number without a name is the one with the number 0. */
    private static <E extends WireEnum> E named(E[] values, int number) {
        for (E value : values) {
            if (value.number() == number) {
                return value;
            }
        }
        return values[0];
    }
}
