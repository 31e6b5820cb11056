package io.csi4j.admin.internal.api;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import java.util.List;
import java.util.Optional;

/** The reads of nodes. */
public final class NodeEndpoints {
    private static final String REPORTS =
            "A request with an index waits for the state: the status of the node, its plugins and its ledger. The agent's report"
                    + " and its contact change without an index.";

    private NodeEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                Endpoint.get("node list", "/v1/nodes", "List nodes with the last reports of their agents")
                        .description(
                                "The leader asks the agents at intervals; CONTACT is the age of a report. " + REPORTS)
                        .with(
                                Filters.text("prefix", "Only nodes whose id begins so."),
                                Parameter.query("status", NodeStatus.class, "Only nodes with this status."),
                                Filters.text("plugin", "Only nodes with an instance of this plugin."))
                        .atLeader(
                                "the reports of nodes and their contact",
                                "lastContact",
                                "silentFor",
                                "contactProblem",
                                "volumeCount",
                                "unfinishedCount")
                        .needs("MANAGEMENT")
                        .waitsForAny(call -> call.values().has("plugin")
                                ? List.of(StateScope.of(Table.NODES), StateScope.of(Table.PLUGINS))
                                : List.of(StateScope.of(Table.NODES)))
                        .pages(
                                NodeShapes.SUMMARY,
                                (call, after, limit) -> call.operations()
                                        .operator()
                                        .nodes(query(call)
                                                .after(after.map(NodeId::of).orElse(null))
                                                .limit(limit)
                                                .build())
                                        .thenApply(page -> Page.of(page, NodeId::value))),
                Endpoint.get("node status", "/v1/nodes/{node}", "Show a node with its mounts and stagings")
                        .description("Asks the agent for a report now, and waits for it up to 10 seconds, or up to 2 if"
                                + " the agent did not answer before; the contactProblem says why there is none. "
                                + REPORTS)
                        .with(Parameter.path("node", "The node."))
                        .needs("MANAGEMENT")
                        .waitsForAny(call -> List.of(StateScope.node(node(call)), StateScope.instancesOn(node(call))))
                        .one(
                                NodeShapes.STATUS,
                                call -> call.operations()
                                        .operator()
                                        .node(node(call))
                                        .<Optional<NodeView>>thenApply(Optional::of)));
    }

    private static NodeId node(Call call) {
        return call.values().parsed("node", NodeId::of);
    }

    private static NodeQuery.Builder query(Call call) {
        return NodeQuery.builder()
                .idPrefix(call.values().textOrEmpty("prefix"))
                .status(call.values().maybeChoice("status", NodeStatus.class).orElse(null))
                .pluginId(call.values().maybe("plugin", PluginId::of).orElse(null));
    }
}
