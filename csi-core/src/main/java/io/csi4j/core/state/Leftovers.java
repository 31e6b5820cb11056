package io.csi4j.core.state;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;

/**
 * Removes what nothing refers to any more, in the transaction that took away the last reference: nodes
 * that are GONE, and the facts of plugins (S18).
 */
final class Leftovers {
    private Leftovers() {}

    static void node(Step step, NodeId nodeId) {
        boolean gone = step.reader()
                .node(nodeId)
                .filter(node -> node.status() == NodeStatus.GONE)
                .isPresent();
        if (gone && !step.reader().volumesOn(nodeId).iterator().hasNext()) {
            step.writer().removeNode(nodeId);
            step.effect(new Effect.NodeRemoved(nodeId));
        }
    }

    /** After an instance or a deployment of the plugin went away. */
    static void plugin(Step step, PluginId pluginId) {
        if (step.reader().instancesOf(pluginId).iterator().hasNext()
                || !step.reader().plugin(pluginId).isEmpty()) {
            return;
        }
        step.effect(new Effect.PluginRemoved(pluginId));
        facts(step, pluginId);
    }

    /** After any reference to the plugin went away. */
    static void facts(Step step, PluginId pluginId) {
        if (step.reader().facts(pluginId).isPresent()
                && !step.reader().instancesOf(pluginId).iterator().hasNext()
                && step.reader().plugin(pluginId).isEmpty()
                && !step.reader().volumesOf(pluginId).iterator().hasNext()) {
            step.writer().removeFacts(pluginId);
        }
    }
}
