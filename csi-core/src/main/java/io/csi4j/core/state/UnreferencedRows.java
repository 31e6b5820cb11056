package io.csi4j.core.state;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;

/** Removes nodes that are GONE and facts of plugins in the transaction that removes the last reference to them. */
final class UnreferencedRows {
    private UnreferencedRows() {}

    static void removeGoneNode(Step step, NodeId nodeId) {
        boolean gone = step.reader()
                .node(nodeId)
                .filter(node -> node.status() == NodeStatus.GONE)
                .isPresent();
        if (gone && !step.reader().volumesOn(nodeId).iterator().hasNext()) {
            step.writer().removeNode(nodeId);
            step.effect(new Effect.NodeRemoved(nodeId));
        }
    }

    /** Removes a plugin after one of its instances or deployments was removed, if none is left. */
    static void removePlugin(Step step, PluginId pluginId) {
        if (step.reader().instancesOf(pluginId).iterator().hasNext()
                || !step.reader().plugin(pluginId).isEmpty()) {
            return;
        }
        step.effect(new Effect.PluginRemoved(pluginId));
        removeFacts(step, pluginId);
    }

    /** Removes the facts of a plugin after a reference to the plugin was removed, if none is left. */
    static void removeFacts(Step step, PluginId pluginId) {
        if (step.reader().facts(pluginId).isPresent()
                && !step.reader().instancesOf(pluginId).iterator().hasNext()
                && step.reader().plugin(pluginId).isEmpty()
                && !step.reader().volumesOf(pluginId).iterator().hasNext()) {
            step.writer().removeFacts(pluginId);
        }
    }
}
