package io.csi4j.testkit.assertion;

import io.csi4j.testkit.history.CallHistory;
import java.util.Set;

/** Assertions about the nodes to which a volume is published. */
public final class PublishedVolume {
    private final PluginAssert plugin;
    private final CallHistory history;
    private final String volumeId;
    private final Set<String> nodes;

    PublishedVolume(PluginAssert plugin, CallHistory history, String volumeId, Set<String> nodes) {
        this.plugin = plugin;
        this.history = history;
        this.volumeId = volumeId;
        this.nodes = nodes;
    }

    /** Verifies that the volume is published to a node. */
    public PluginAssert onNode(String nodeId) {
        return nodes.contains(nodeId)
                ? plugin
                : plugin.failing(
                        history,
                        "expected that volume '" + volumeId + "' is published to node '" + nodeId + "', but it is to "
                                + nodes);
    }

    /** Verifies that the volume is published to these nodes and to no others. */
    public PluginAssert onNodesOnly(String... nodeIds) {
        return nodes.equals(Set.of(nodeIds))
                ? plugin
                : plugin.failing(
                        history,
                        "expected that volume '" + volumeId + "' is published to " + Set.of(nodeIds) + ", but it is to "
                                + nodes);
    }
}
