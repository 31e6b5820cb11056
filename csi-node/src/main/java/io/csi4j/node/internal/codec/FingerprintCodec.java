package io.csi4j.node.internal.codec;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.proto.agent.v1.AgentProto.Fingerprint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.List;

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
                .setAt(Values.time(report.at()));
        report.instances().forEach(instance -> request.addInstances(write(instance)));
        return request.build();
    }

    /**
     * Reads the complete report of a node. Throws if one instance is unreadable, because a report without this
     * instance would mark it as stopped.
     *
     * @param at the time of the returned report
     * @throws IllegalArgumentException if a part cannot be read
     */
    public static NodeFingerprint read(FingerprintRequest request, Instant at) {
        NodeId node = NodeId.of(request.getNodeId());
        List<PluginInstance> instances = request.getInstancesList().stream()
                .map(instance -> read(node, instance))
                .toList();
        return new NodeFingerprint(node, instances, request.getOrder(), at);
    }

    private static Fingerprint write(PluginInstance instance) {
        Fingerprint.Builder reported = Fingerprint.newBuilder()
                .setInstance(IdCodec.write(instance.key()))
                .setHealthy(instance.healthy())
                .setHealthDescription(instance.healthDescription())
                .setStartedAt(Values.time(instance.startedAt()))
                .setUpdatedAt(Values.time(instance.updatedAt()));
        instance.provider().ifPresent(reported::setProvider);
        instance.vendorVersion().ifPresent(reported::setVendorVersion);
        Values.capabilities(
                instance.capabilities(),
                reported::setServices,
                reported::setVolumeExpansion,
                reported::setControllerCapabilities,
                reported::setNodeCapabilities);
        instance.nodeInfo().ifPresent(info -> reported.setNodeInfo(Values.nodeInfo(info)));
        return reported.setUnproved(!instance.proved()).build();
    }

    private static PluginInstance read(NodeId node, Fingerprint reported) {
        PluginInstance.Builder instance = PluginInstance.builder(
                        IdCodec.read(node, reported.getInstance()), read("startedAt", reported.getStartedAt()))
                .health(reported.getHealthy(), PeerText.plain(reported.getHealthDescription()))
                .updatedAt(read("updatedAt", reported.getUpdatedAt()))
                .proved(!reported.getUnproved())
                .provider(reported.hasProvider() ? reported.getProvider() : null)
                .vendorVersion(reported.hasVendorVersion() ? reported.getVendorVersion() : null)
                .capabilities(Values.capabilities(
                        reported.hasServices() ? reported.getServices() : null,
                        reported.hasVolumeExpansion() ? reported.getVolumeExpansion() : null,
                        reported.hasControllerCapabilities() ? reported.getControllerCapabilities() : null,
                        reported.hasNodeCapabilities() ? reported.getNodeCapabilities() : null));
        return reported.hasNodeInfo()
                ? instance.nodeInfo(Values.nodeInfo(reported.getNodeInfo(), topology -> topology))
                        .build()
                : instance.build();
    }

    private static Instant read(String field, ValuesProto.Time time) {
        try {
            return Values.time(time);
        } catch (IllegalArgumentException unusable) {
            throw new IllegalArgumentException(
                    field + ": " + unusable.getMessage() + "; correct the clock of the node", unusable);
        }
    }
}
