package io.csi4j.core.placement;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node that does not exist yet, for {@link FeasibleNodes#withNode}: the plugins that would run on it, and what they would
 * report. It counts as READY, and its plugins as healthy. Immutable.
 */
public final class NodeDescription {
    private final NodeId nodeId;
    private final Map<PluginId, NodeInfo> plugins;

    private NodeDescription(Builder builder) {
        this.nodeId = builder.nodeId;
        this.plugins = Map.copyOf(builder.plugins);
    }

    /**
     * Returns a builder for a node without plugins.
     *
     * @param nodeId the id of the node in the answers
     */
    public static Builder builder(NodeId nodeId) {
        return new Builder(nodeId);
    }

    /** Returns the id of the node in the answers. */
    public NodeId nodeId() {
        return nodeId;
    }

    Optional<Topology> topology(PluginId plugin) {
        return Optional.ofNullable(plugins.get(plugin)).flatMap(NodeInfo::accessibleTopology);
    }

    /** Returns the facts about this node for a volume of a plugin. */
    PlacementFacts facts(PluginId plugin, PlacementFacts known) {
        Optional<PluginInstance> instance = Optional.ofNullable(plugins.get(plugin))
                .map(info -> PluginInstance.builder(
                                new InstanceKey(nodeId, plugin, PluginType.NODE, Optional.empty()), Instant.EPOCH)
                        .health(true, "")
                        .capabilities(Capabilities.unknown())
                        .nodeInfo(info)
                        .build());
        return new PlacementFacts(
                nodeId,
                Optional.of(new Node(nodeId, NodeStatus.READY, Instant.EPOCH, "", 0)),
                instance,
                known.plugin(),
                known.healthyController(),
                known.otherVolumes(),
                known.unsettledNode(),
                known.unverified());
    }

    /** Builds {@link NodeDescription}s. Not thread-safe. */
    public static final class Builder {
        private final NodeId nodeId;
        private final Map<PluginId, NodeInfo> plugins = new HashMap<>();

        private Builder(NodeId nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
        }

        /** Adds a plugin without a topology and without a limit of volumes. */
        public Builder plugin(PluginId plugin) {
            return plugin(plugin, null, 0);
        }

        /** Adds a plugin without a limit of volumes. */
        public Builder plugin(PluginId plugin, Topology topology) {
            return plugin(plugin, Objects.requireNonNull(topology, "topology"), 0);
        }

        /**
         * Adds a plugin.
         *
         * @param topology the topology that the plugin would report for the node (R93); null for none
         * @param maxVolumesPerNode the greatest number of the plugin's volumes on the node; 0 for no limit
         * @throws IllegalArgumentException if the limit is negative
         */
        public Builder plugin(PluginId plugin, @Nullable Topology topology, long maxVolumesPerNode) {
            Objects.requireNonNull(plugin, "plugin");
            plugins.put(
                    plugin,
                    new NodeInfo(ExternalNodeId.of(nodeId.value()), maxVolumesPerNode, Optional.ofNullable(topology)));
            return this;
        }

        public NodeDescription build() {
            return new NodeDescription(this);
        }
    }
}
