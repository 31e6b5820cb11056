package io.csi4j.agent.internal.codec;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.PluginCommand.FingerprintNode;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.Fingerprint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.Numbers;
import io.csi4j.proto.agent.v1.AgentProto.Time;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts fingerprints of plugins to protocol messages and back. Capabilities are sent as numbers, so that unknown capabilities are kept.
 */
public final class FingerprintCodec {
    private FingerprintCodec() {}

    public static FingerprintRequest write(NodeFingerprint report) {
        FingerprintRequest.Builder request = FingerprintRequest.newBuilder()
                .setVersion(ProtocolVersion.OURS)
                .setNodeId(report.nodeId().value())
                .setOrder(report.order())
                .setAt(write(report.at()));
        report.instances().forEach(instance -> request.addInstances(write(instance)));
        return request.build();
    }

    /**
     * Reads the complete report of a node. Throws if one instance is unreadable, because a report without this
     * instance would mark it as stopped.
     *
     * @param at the time of the returned command
     * @throws IllegalArgumentException if a part cannot be read
     */
    public static FingerprintNode read(FingerprintRequest request, Instant at) {
        NodeId node = NodeId.of(request.getNodeId());
        List<PluginInstance> instances = request.getInstancesList().stream()
                .map(instance -> read(node, instance))
                .toList();
        return new FingerprintNode(node, instances, request.getOrder(), at);
    }

    private static Fingerprint write(PluginInstance instance) {
        Fingerprint.Builder reported = Fingerprint.newBuilder()
                .setInstance(IdCodec.write(instance.key()))
                .setHealthy(instance.healthy())
                .setHealthDescription(instance.healthDescription())
                .setStartedAt(write(instance.startedAt()))
                .setUpdatedAt(write(instance.updatedAt()));
        instance.provider().ifPresent(reported::setProvider);
        instance.vendorVersion().ifPresent(reported::setVendorVersion);
        instance.services().ifPresent(set -> reported.setServices(write(set)));
        instance.controllerCapabilities().ifPresent(set -> reported.setControllerCapabilities(write(set)));
        instance.nodeCapabilities().ifPresent(set -> reported.setNodeCapabilities(write(set)));
        instance.volumeExpansion().ifPresent(set -> reported.setVolumeExpansion(write(set)));
        instance.nodeInfo().ifPresent(info -> reported.setNodeInfo(write(info)));
        return reported.build();
    }

    private static PluginInstance read(NodeId node, Fingerprint reported) {
        PluginInstance.Builder instance = PluginInstance.builder(
                        IdCodec.read(node, reported.getInstance()), read("startedAt", reported.getStartedAt()))
                .health(reported.getHealthy(), PeerText.plain(reported.getHealthDescription()))
                .updatedAt(read("updatedAt", reported.getUpdatedAt()))
                .provider(reported.hasProvider() ? reported.getProvider() : null)
                .vendorVersion(reported.hasVendorVersion() ? reported.getVendorVersion() : null)
                .services(read(PluginService.class, reported.hasServices(), reported.getServices()))
                .controllerCapabilities(read(
                        ControllerCapability.class,
                        reported.hasControllerCapabilities(),
                        reported.getControllerCapabilities()))
                .nodeCapabilities(
                        read(NodeCapability.class, reported.hasNodeCapabilities(), reported.getNodeCapabilities()))
                .volumeExpansion(
                        read(VolumeExpansion.class, reported.hasVolumeExpansion(), reported.getVolumeExpansion()));
        return reported.hasNodeInfo()
                ? instance.nodeInfo(read(reported.getNodeInfo())).build()
                : instance.build();
    }

    private static <E extends Enum<E> & WireEnum> Numbers write(CapabilitySet<E> set) {
        Numbers.Builder numbers = Numbers.newBuilder();
        set.known().forEach(each -> numbers.addNumbers(each.number()));
        return numbers.addAllNumbers(set.unknownNumbers()).build();
    }

    private static <E extends Enum<E> & WireEnum> @Nullable CapabilitySet<E> read(
            Class<E> type, boolean reported, Numbers numbers) {
        return reported ? CapabilitySet.fromNumbers(type, numbers.getNumbersList()) : null;
    }

    private static AgentProto.NodeInfo write(NodeInfo info) {
        AgentProto.NodeInfo.Builder reported = AgentProto.NodeInfo.newBuilder()
                .setExternalNodeId(info.externalNodeId().value())
                .setMaxVolumesPerNode(info.maxVolumesPerNode());
        info.accessibleTopology()
                .ifPresent(topology -> reported.setAccessibleTopology(
                        AgentProto.Topology.newBuilder().putAllSegments(topology.segments())));
        return reported.build();
    }

    private static NodeInfo read(AgentProto.NodeInfo reported) {
        return new NodeInfo(
                ExternalNodeId.of(reported.getExternalNodeId()),
                reported.getMaxVolumesPerNode(),
                reported.hasAccessibleTopology()
                        ? java.util.Optional.of(
                                new Topology(reported.getAccessibleTopology().getSegmentsMap()))
                        : java.util.Optional.empty());
    }

    private static Time write(Instant instant) {
        return Time.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    private static Instant read(String field, Time time) {
        try {
            return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        } catch (DateTimeException | ArithmeticException unusable) {
            throw new IllegalArgumentException(field + ": " + time.getSeconds() + " s and " + time.getNanos()
                    + " ns are no time; correct the clock of the node");
        }
    }
}
