package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes one line to the log for each change of a node's status and of a plugin's health that the leader sees. Used by
 * one thread at a time.
 */
final class ClusterLog {
    private static final System.Logger LOG = System.getLogger(ClusterLog.class.getName());

    private final Map<NodeId, Long> nodes = new HashMap<>();
    private final Map<PluginId, Health> plugins = new HashMap<>();
    private boolean begun;

    private record Health(int controllers, int nodes, int expectedControllers, int expectedNodes) {
        static Health of(PluginView plugin) {
            return new Health(
                    plugin.healthyControllers(),
                    plugin.healthyNodes(),
                    plugin.expected().controllers(),
                    plugin.expected().nodes());
        }

        boolean sameInstances(Health other) {
            return controllers == other.controllers && nodes == other.nodes;
        }

        private static String of(int healthy, int expected) {
            return expected == 0 ? String.valueOf(healthy) : healthy + " of " + expected;
        }

        String controllersText() {
            return of(controllers, expectedControllers);
        }

        String nodesText() {
            return of(nodes, expectedNodes);
        }
    }

    /** Compares a state with the one before. The first state of a term is only remembered. Returns the rows read. */
    long read(StateReader state) {
        long rows = 0;
        for (Node node : state.nodes()) {
            rows++;
            Long known = nodes.put(node.id(), node.modifyIndex());
            if (begun && (known == null || known != node.modifyIndex())) {
                String reason = node.reason().isEmpty() ? "" : ": " + node.reason();
                LOG.log(Level.INFO, () -> "Node " + node.id() + " is " + node.status() + reason);
            }
        }
        nodes.keySet().removeIf(id -> {
            boolean gone = state.node(id).isEmpty();
            if (gone) {
                LOG.log(Level.INFO, () -> "Node " + id + " was removed");
            }
            return gone;
        });
        for (PluginFacts facts : state.facts()) {
            PluginView plugin = state.plugin(facts.pluginId());
            rows += 1 + plugin.instances().size();
            plugin(facts.pluginId(), Health.of(plugin));
        }
        plugins.keySet().removeIf(id -> state.facts(id).isEmpty());
        begun = true;
        return rows;
    }

    private void plugin(PluginId id, Health health) {
        Health known = plugins.put(id, health);
        if (begun && (known == null || !known.sameInstances(health))) {
            LOG.log(
                    Level.INFO,
                    () -> "Plugin " + id + " has " + health.controllersText() + " controllers and " + health.nodesText()
                            + " node instances healthy");
        }
    }
}
