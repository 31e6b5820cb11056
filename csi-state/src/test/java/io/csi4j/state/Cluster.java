package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Methods with readable names that submit the commands for a small cluster. */
final class Cluster {
    static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");
    static final RequestedCapability SHARED = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    static final RequestedCapability SINGLE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final StateStore store;

    Cluster(StateStore store) {
        this.store = store;
    }

    /** Adds a node with a plugin that needs no controller. */
    Cluster node(String node, String plugin) {
        accepted(new NodeCommand.UpsertNode(NodeId.of(node), AT));
        accepted(fingerprint(node, plugin, "agent-" + node));
        return this;
    }

    static Command fingerprint(String node, String plugin, String allocation) {
        return new PluginCommand.FingerprintNode(NodeId.of(node), List.of(instance(node, plugin, allocation)), AT);
    }

    static PluginInstance instance(String node, String plugin, String allocation) {
        return PluginInstance.builder(instanceKey(node, plugin, allocation), AT)
                .health(true, "")
                .updatedAt(AT)
                .provider("example.com")
                .vendorVersion("1")
                .capabilities(
                        Capabilities.unknown().withServices().withController().withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty()))
                .build();
    }

    static InstanceKey instanceKey(String node, String plugin, String allocation) {
        return new InstanceKey(
                NodeId.of(node), PluginId.of(plugin), PluginType.NODE, Optional.of(AllocationId.of(allocation)));
    }

    Cluster volume(String id, String plugin) {
        accepted(register(id, plugin));
        return this;
    }

    static Command register(String id, String plugin) {
        return new VolumeCommand.RegisterVolume(
                key(id), spec(plugin).build(), VolumeOrigin.REGISTERED, ProviderFacts.none(), AT);
    }

    static VolumeSpec.Builder spec(String plugin) {
        return VolumeSpec.builder(PluginId.of(plugin)).requestedCapabilities(List.of(SHARED, SINGLE));
    }

    Cluster allocation(String allocation, String node) {
        accepted(allocation(allocation, node, AllocationStatus.RUNNING));
        return this;
    }

    static Command allocation(String allocation, String node, AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(
                AllocationId.of(allocation), Namespace.of("default"), NodeId.of(node), Optional.empty(), status, AT);
    }

    Cluster claim(String volume, String allocation) {
        accepted(take(volume, allocation, SHARED));
        return this;
    }

    static Command take(String volume, String allocation, RequestedCapability capability) {
        return new ClaimCommand.TakeClaims(
                AllocationId.of(allocation), List.of(ClaimRequest.of(key(volume), ClaimMode.WRITE, capability)), AT);
    }

    static VolumeKey key(String id) {
        return VolumeKey.of("default", id);
    }

    Outcome accepted(Command command) {
        Outcome outcome = store.apply(command);
        assertThat(outcome).as("%s", command).isInstanceOf(Outcome.Accepted.class);
        return outcome;
    }
}
