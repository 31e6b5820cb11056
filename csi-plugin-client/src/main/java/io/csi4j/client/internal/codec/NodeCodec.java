package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeExpandVolumeResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.values.internal.CapabilityCodec;
import io.csi4j.values.internal.WireNumbers;
import java.util.Optional;

/** Encodes and decodes the RPCs of the Node service (R85-R95), except the RPCs for health. */
public final class NodeCodec {
    private static final WireNumbers<VolumeUsageUnit> UNITS = new WireNumbers<>(VolumeUsageUnit.values());

    private NodeCodec() {}

    public static io.csi4j.proto.csi.v1.NodeStageVolumeRequest write(NodeStageVolumeRequest request) {
        return io.csi4j.proto.csi.v1.NodeStageVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .putAllPublishContext(request.publishContext().asMap())
                .setStagingTargetPath(request.stagingTargetPath())
                .setVolumeCapability(CapabilityCodec.write(request.volumeCapability()))
                .putAllSecrets(request.secrets().asMap())
                .putAllVolumeContext(request.volumeContext().asMap())
                .build();
    }

    public static io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest write(NodeUnstageVolumeRequest request) {
        return io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .setStagingTargetPath(request.stagingTargetPath())
                .build();
    }

    public static io.csi4j.proto.csi.v1.NodePublishVolumeRequest write(NodePublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodePublishVolumeRequest.Builder wire =
                io.csi4j.proto.csi.v1.NodePublishVolumeRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .putAllPublishContext(request.publishContext().asMap())
                        .setTargetPath(request.targetPath())
                        .setVolumeCapability(CapabilityCodec.write(request.volumeCapability()))
                        .setReadonly(request.readonly())
                        .putAllSecrets(request.secrets().asMap())
                        .putAllVolumeContext(request.volumeContext().asMap());
        request.stagingTargetPath().ifPresent(wire::setStagingTargetPath);
        return wire.build();
    }

    public static io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest write(NodeUnpublishVolumeRequest request) {
        return io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest.newBuilder()
                .setVolumeId(request.volumeId().value())
                .setTargetPath(request.targetPath())
                .build();
    }

    public static io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest write(NodeGetVolumeStatsRequest request) {
        io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest.Builder wire =
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .setVolumePath(request.volumePath());
        request.stagingTargetPath().ifPresent(wire::setStagingTargetPath);
        return wire.build();
    }

    @SuppressWarnings("deprecation") // the condition is told by plugins until CSI 1.12
    public static NodeGetVolumeStatsResponse read(io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse wire) {
        return new NodeGetVolumeStatsResponse(
                AnswerCheck.each("usage", wire.getUsageList(), NodeCodec::read),
                wire.hasVolumeCondition()
                        ? Optional.of(VolumeCodec.read(wire.getVolumeCondition()))
                        : Optional.empty());
    }

    private static VolumeUsage read(io.csi4j.proto.csi.v1.VolumeUsage wire) {
        return new VolumeUsage(
                AnswerCheck.notNegative("available", wire.getAvailable()),
                AnswerCheck.notNegative("total", wire.getTotal()),
                AnswerCheck.notNegative("used", wire.getUsed()),
                UNITS.of(wire.getUnitValue()));
    }

    public static io.csi4j.proto.csi.v1.NodeExpandVolumeRequest write(NodeExpandVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodeExpandVolumeRequest.Builder wire =
                io.csi4j.proto.csi.v1.NodeExpandVolumeRequest.newBuilder()
                        .setVolumeId(request.volumeId().value())
                        .setVolumePath(request.volumePath())
                        .putAllSecrets(request.secrets().asMap());
        request.capacityRange().map(VolumeCodec::write).ifPresent(wire::setCapacityRange);
        request.stagingTargetPath().ifPresent(wire::setStagingTargetPath);
        request.volumeCapability().map(CapabilityCodec::write).ifPresent(wire::setVolumeCapability);
        return wire.build();
    }

    public static NodeExpandVolumeResponse read(
            io.csi4j.proto.csi.v1.NodeExpandVolumeResponse wire, NodeExpandVolumeRequest request) {
        long required =
                request.capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        return new NodeExpandVolumeResponse(AnswerCheck.grown("capacityBytes", wire.getCapacityBytes(), required));
    }

    public static NodeGetCapabilitiesResponse read(io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse wire) {
        return new NodeGetCapabilitiesResponse(CapabilitySet.fromNumbers(
                NodeCapability.class,
                wire.getCapabilitiesList().stream()
                        .map(capability -> capability.getRpc().getTypeValue())
                        .toList()));
    }

    public static NodeGetInfoResponse read(io.csi4j.proto.csi.v1.NodeGetInfoResponse wire) {
        return new NodeGetInfoResponse(
                ExternalNodeId.of(AnswerCheck.given("nodeId", wire.getNodeId())),
                AnswerCheck.notNegative("maxVolumesPerNode", wire.getMaxVolumesPerNode()),
                AnswerCheck.optional(
                        "accessibleTopology",
                        wire.hasAccessibleTopology(),
                        wire.getAccessibleTopology(),
                        TopologyCodec::read));
    }
}
