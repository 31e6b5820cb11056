package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.internal.event.UndeclaredControllers;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.ControllerTrust;
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
    private final ControllerTrust trust;
    private final UndeclaredControllers undeclared;
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

    ClusterLog(ControllerTrust trust) {
        this.trust = trust;
        this.undeclared = new UndeclaredControllers(trust);
    }

    /** Compares a state with the one before. The first state of a term is only remembered. Returns the rows read. */
    long read(StateReader state) {
        long rows = 0;
        for (Node node : state.nodes()) {
            rows++;
            undeclared.check(state, node.id(), ClusterLog::undeclared);
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
            PluginView plugin = state.plugin(facts.pluginId()).withControllers(key -> trust.trusts(state, key));
            rows += 1 + plugin.instances().size();
            plugin(facts.pluginId(), Health.of(plugin));
        }
        plugins.keySet().removeIf(id -> state.facts(id).isEmpty());
        begun = true;
        return rows;
    }

    private static void undeclared(InstanceKey controller) {
        LOG.log(
                Level.WARNING,
                () -> "Node " + controller.nodeId() + " reports that it runs a controller of plugin "
                        + controller.pluginId() + ", which was not declared. It is not called. If the host has put it"
                        + " there, declare its deployment (cluster().deploymentDeclared), or trust its node"
                        + " (VolumeLifecycleBuilder.controllers); if not, find out what the node does");
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
