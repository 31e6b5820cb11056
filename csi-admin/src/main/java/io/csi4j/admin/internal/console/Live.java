package io.csi4j.admin.internal.console;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The values that were read from the engine at one time; all pages show them. */
record Live(
        StateReader state,
        Totals totals,
        List<PluginView> plugins,
        List<WaitingClaim> waiting,
        List<PluginCall> calls,
        Map<NodeId, NodeView> nodes,
        ServerHealth health,
        Instant at) {
    /** Returns the node with the last report of its agent; empty if the state does not have the node. */
    Optional<NodeView> node(NodeId nodeId) {
        return Optional.ofNullable(nodes.get(nodeId));
    }

    /** The numbers of volumes, claims and nodes in the state. To count them, the reader has to visit all volumes. */
    record Totals(int volumes, int claims, int unsettled, int nodes, int nodesReady, Instant at) {}
}
