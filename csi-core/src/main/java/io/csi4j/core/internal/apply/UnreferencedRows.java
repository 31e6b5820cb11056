package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;

/**
 * Removes rows that nothing refers to any more: nodes that are GONE, and facts of plugins. The transaction that removes
 * the last reference removes the row too.
 */
final class UnreferencedRows {
    private UnreferencedRows() {}

    static void removeGoneNode(Step step, NodeId nodeId) {
        boolean gone = step.reader()
                .node(nodeId)
                .filter(node ->
                        node.status() == NodeStatus.GONE && node.ledger().isSettled())
                .isPresent();
        if (gone && !step.reader().volumesOn(nodeId).iterator().hasNext()) {
            step.writer().removeNode(nodeId);
            step.effect(new Effect.NodeRemoved(nodeId));
        }
    }

    /** Removes a plugin if it has neither an instance nor a deployment any more. */
    static void removePlugin(Step step, PluginId pluginId) {
        if (step.reader().instancesOf(pluginId).iterator().hasNext()
                || !step.reader().plugin(pluginId).isEmpty()) {
            return;
        }
        step.effect(new Effect.PluginRemoved(pluginId));
        removeFacts(step, pluginId);
    }

    /** Removes the facts of a plugin if no row refers to the plugin any more. */
    static void removeFacts(Step step, PluginId pluginId) {
        if (step.reader().facts(pluginId).isPresent()
                && !step.reader().instancesOf(pluginId).iterator().hasNext()
                && step.reader().plugin(pluginId).isEmpty()
                && !step.reader().volumesOf(pluginId).iterator().hasNext()) {
            step.writer().removeFacts(pluginId);
        }
    }
}
