package io.csi4j.testkit.cluster;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.capability.FakeCapability;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The instance of a plugin on a node, with the client of the node's agent. */
final class NodePlugin implements AutoCloseable {
    private final InstanceKey key;
    private final FakeCsiPlugin plugin;
    private final CsiClient client;
    private final Instant startedAt;

    NodePlugin(NodeId node, PluginId id, FakeCsiPlugin plugin, Environment environment) {
        this.key = new InstanceKey(node, id, type(plugin), Optional.empty());
        this.plugin = plugin.startInProcess();
        this.client = CsiClient.builder(Endpoint.parse(plugin.inProcessEndpoint()))
                .environment(environment)
                .retries(RetryOptions.none())
                .build();
        this.startedAt = environment.clock().instant();
    }

    private static PluginType type(FakeCsiPlugin plugin) {
        if (!plugin.servesNode()) {
            return PluginType.CONTROLLER;
        }
        return plugin.servesController() ? PluginType.MONOLITH : PluginType.NODE;
    }

    FakeCsiPlugin plugin() {
        return plugin;
    }

    CsiClient client() {
        return client;
    }

    /** Returns what the agent of the node reports about this instance. */
    PluginInstance report() {
        PluginInstance.Builder instance = PluginInstance.builder(key, startedAt)
                .health(true, "")
                .provider(plugin.name())
                .vendorVersion(plugin.vendorVersion())
                .capabilities(Capabilities.unknown()
                        .withServices(set(PluginService.class, FakeCapability.Service.PLUGIN))
                        .withController(set(ControllerCapability.class, FakeCapability.Service.CONTROLLER))
                        .withVolumeExpansion(set(VolumeExpansion.class, FakeCapability.Service.EXPANSION))
                        .withNode(set(NodeCapability.class, FakeCapability.Service.NODE)));
        if (plugin.servesNode()) {
            Optional<Topology> topology =
                    plugin.topology().isEmpty() ? Optional.empty() : Optional.of(Topology.of(plugin.topology()));
            instance.nodeInfo(new NodeInfo(ExternalNodeId.of(plugin.nodeId()), plugin.attachLimit(), topology));
        }
        return instance.build();
    }

    private <E extends Enum<E> & WireEnum> CapabilitySet<E> set(Class<E> type, FakeCapability.Service service) {
        List<Integer> numbers = plugin.capabilities().stream()
                .filter(capability -> capability.service() == service)
                .map(FakeCapability::number)
                .toList();
        return CapabilitySet.fromNumbers(type, numbers);
    }

    /** Removes the mounts of the node from the storage. */
    void losePower() {
        plugin.storage().nodeIsGone(plugin.nodeId());
    }

    @Override
    public void close() {
        client.close();
        plugin.close();
    }
}
