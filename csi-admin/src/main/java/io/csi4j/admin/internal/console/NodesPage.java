package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page of the nodes, with their plugins and volumes. */
final class NodesPage {
    static final int SIZE = 50;

    private static final int COUNTED = 1000;

    private static final List<String> REPORTED =
            List.of("Staged", "Allocations", "Call", "Unfinished for", "Waits for", "Last error");

    private final ListFilter filter;

    NodesPage(Request request) {
        this.filter = new ListFilter(
                request,
                "/nodes",
                "nodes",
                Field.text("prefix", "Id begins with"),
                Field.of("status", "Status", NodeStatus.values()),
                Field.text("plugin", "Plugin"));
    }

    void form(Html html) {
        filter.form(html);
    }

    /** Returns the headers of a table with a first column and the cells of {@link #reported}. */
    static String[] headers(String first) {
        return Stream.concat(Stream.of(first), REPORTED.stream()).toArray(String[]::new);
    }

    void write(Html html, LiveReader reader) {
        NodeQuery.Builder query = NodeQuery.builder().limit(SIZE);
        filter.value("prefix", prefix -> prefix).ifPresent(query::idPrefix);
        filter.constant("status", NodeStatus.class).ifPresent(query::status);
        filter.value("plugin", PluginId::of).ifPresent(query::pluginId);
        filter.value("after", NodeId::of).ifPresent(query::after);
        ListPage<NodeView, NodeId> page =
                LiveReader.joined(reader.lifecycle().operator().nodes(query.build()));
        StateReader state = reader.state();
        Instant now = reader.read().at();
        HtmlTable table = new HtmlTable(
                html,
                "Nodes",
                "Node",
                "Status",
                "Since",
                "Last contact",
                "Plugins healthy",
                "Volumes",
                "On the node",
                "Reason");
        page.items().forEach(view -> row(table, html, state, view, now));
        table.end();
        if (page.items().isEmpty()) {
            html.element("p", "No node matches.", "class", "empty");
        }
        filter.pages(html, page.next().map(NodeId::value));
    }

    private static void row(HtmlTable table, Html html, StateReader state, NodeView view, Instant now) {
        Node node = view.node();
        int healthy = 0;
        int instances = 0;
        int unproved = 0;
        for (PluginInstance instance : state.instancesOn(node.id())) {
            instances += instance.proved() ? 1 : 0;
            unproved += instance.proved() ? 0 : 1;
            healthy += instance.healthy() ? 1 : 0;
        }
        table.row().cell();
        Links.node(html, node.id());
        table.done().cell();
        html.badge(node.status(), kind(node.status()));
        table.done().text(Words.age(node.since(), now));
        table.number(contact(Optional.of(view), now));
        table.number(healthy + " of " + instances + (unproved == 0 ? "" : ", " + unproved + " without an answer yet"));
        table.number(volumes(state, node.id()));
        table.cell();
        work(html, view);
        table.done();
        table.text(node.reason().isEmpty() ? "-" : node.reason()).endRow();
    }

    /** Returns how long ago the agent of a node answered last. */
    static String contact(Optional<NodeView> view, Instant now) {
        return view.flatMap(NodeView::lastContact)
                .map(at -> Words.age(at, now) + " ago")
                .orElse("-");
    }

    /** Writes how many volumes the node has, and how much of its work is not finished. */
    private static void work(Html html, NodeView view) {
        Optional<NodeReport> report = view.report();
        if (report.isEmpty()) {
            html.text("-");
            return;
        }
        int unfinished = report.get().unfinished().size();
        long failing = report.get().volumes().stream()
                .filter(volume -> !volume.lastError().isEmpty())
                .count();
        html.text(report.get().volumes().size() + " volumes ");
        if (failing > 0) {
            html.badge(failing + " failing", "bad");
        } else if (unfinished > 0) {
            html.badge(unfinished + " unfinished", "busy");
        }
    }

    /** Returns whether the agent is connected to this server, and why its last call was refused. */
    private static String connection(AgentConnection connection, Instant now) {
        String since =
                connection.since().map(at -> " for " + Words.age(at, now)).orElse("");
        return "Its agent is " + (connection.connected() ? "connected" : "not connected") + since + ". "
                + (connection.refusal().isEmpty() ? "" : "Its last call was refused: " + connection.refusal() + ". ");
    }

    /** Writes one node: the contact with its agent, and what the agent reports of each volume. */
    static void details(Html html, NodeView view, Instant now) {
        Node node = view.node();
        html.open("p", "class", "note");
        html.badge(node.status(), kind(node.status()));
        html.text(" since " + Words.age(node.since(), now)
                + (node.reason().isEmpty() ? "" : " (" + node.reason() + ")") + ". Last contact with its agent: "
                + contact(Optional.of(view), now)
                + (view.contactProblem().isEmpty() ? "" : "; " + view.contactProblem()) + ". "
                + view.connection()
                        .map(connection -> connection(connection, now))
                        .orElse(""));
        html.link(Request.address("/volumes", "node", node.id().value()), "Volumes of the state on the node");
        html.close("p");
        html.element("h2", "What the node reports");
        Optional<NodeReport> report = view.report();
        if (report.isEmpty()) {
            html.element("p", "There is no report of the node.", "class", "empty");
            return;
        }
        if (report.get().volumes().isEmpty()) {
            html.element("p", "No volume is on the node.", "class", "empty");
            return;
        }
        HtmlTable table = new HtmlTable(html, "Volumes on the node", headers("Volume"));
        for (NodeVolume volume : report.get().volumes().stream().limit(COUNTED).toList()) {
            table.row().cell();
            Links.volume(html, volume.volume());
            table.done();
            reported(table, volume);
            table.endRow();
        }
        table.end();
    }

    /** Writes the cells about a volume that a node reports; {@link #REPORTED} has their headers. */
    static void reported(HtmlTable table, NodeVolume volume) {
        String uses = volume.uses().stream()
                .map(use -> use.allocationId() + " " + Words.of(use.state()) + problem(use.problem()))
                .collect(Collectors.joining(", "));
        table.text(volume.staged() ? "yes" + problem(volume.stagingProblem()) : "no")
                .text(uses.isEmpty() ? "-" : uses)
                .text(volume.call()
                        .map(call -> call.rpc().csiName() + ", for " + Words.duration(call.age()))
                        .orElse("-"))
                .number(volume.isUnfinished() ? Words.duration(volume.unfinishedFor()) : "-")
                .text(volume.waitingFor().isEmpty() ? "-" : volume.waitingFor())
                .text(volume.lastError().isEmpty() ? "-" : volume.lastError());
    }

    private static String problem(String problem) {
        return problem.isEmpty() ? "" : " (" + problem + ")";
    }

    private static String kind(NodeStatus status) {
        return switch (status) {
            case READY -> "good";
            case DISCONNECTED -> "busy";
            case DOWN -> "bad";
            case FENCED, GONE -> "plain";
        };
    }

    private static String volumes(StateReader state, NodeId nodeId) {
        int count = 0;
        for (Iterator<VolumeKey> volumes = state.volumesOn(nodeId).iterator(); volumes.hasNext(); volumes.next()) {
            if (++count > COUNTED) {
                return "more than " + COUNTED;
            }
        }
        return "" + count;
    }
}
