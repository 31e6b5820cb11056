package io.csi4j.console;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import java.util.Iterator;

/** A page of the nodes, with their plugins and volumes. */
final class NodesPage {
    static final int SIZE = 50;

    private static final int COUNTED = 1000;

    private NodesPage() {}

    static void write(Html html, Live live, Request request) {
        StateReader state = live.state();
        String after = request.parameter("after").orElse("");
        Iterator<Node> nodes = state.nodes().iterator();
        HtmlTable table =
                new HtmlTable(html, "Nodes", "Node", "Status", "Since", "Plugins healthy", "Volumes", "Reason");
        int displayed = 0;
        String last = "";
        while (nodes.hasNext() && displayed < SIZE) {
            Node node = nodes.next();
            if (node.id().value().compareTo(after) > 0) {
                row(table, html, live, node);
                last = node.id().value();
                displayed++;
            }
        }
        table.end();
        if (displayed == 0) {
            html.element("p", "No further node.", "class", "empty");
        }
        html.open("nav", "class", "pages", "aria-label", "Pages of nodes");
        if (!after.isEmpty()) {
            html.link("/nodes", "First page", "id", "first-page");
        }
        if (nodes.hasNext() && displayed == SIZE) {
            html.link(Request.address("/nodes", "after", last), "Next page", "id", "next-page", "rel", "next");
        }
        html.close("nav");
    }

    private static void row(HtmlTable table, Html html, Live live, Node node) {
        int healthy = 0;
        int instances = 0;
        for (PluginInstance instance : live.state().instancesOn(node.id())) {
            instances++;
            healthy += instance.healthy() ? 1 : 0;
        }
        table.row().cell();
        Links.node(html, node.id());
        table.done().cell();
        html.badge(node.status(), kind(node.status()));
        table.done().text(Words.age(node.since(), live.at()));
        table.number(healthy + " of " + instances);
        table.number(volumes(live.state(), node.id()));
        table.text(node.reason().isEmpty() ? "-" : node.reason()).endRow();
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
