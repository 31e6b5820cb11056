package io.csi4j.examples.scheduler;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.ObservableState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The requests of operators about nodes and their plugins. */
final class NodeRequests {
    private static final long POLL_MILLIS = 200;
    private static final Duration POWER = Duration.ofSeconds(30);

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final SchedulingLoop loop;
    private final ClusterLayout layout;
    private final PluginRows plugins;
    private final Gson gson = new Gson();

    NodeRequests(VolumeLifecycle lifecycle, ObservableState store, SchedulingLoop loop, ClusterLayout layout) {
        this.lifecycle = lifecycle;
        this.store = store;
        this.loop = loop;
        this.layout = layout;
        this.plugins = new PluginRows(lifecycle);
    }

    private record NodeRow(
            String node,
            String status,
            String since,
            String contact,
            String reason,
            String ledger,
            boolean drained,
            int allocations) {}

    private record ReportRow(
            String volume,
            boolean staged,
            String allocations,
            String call,
            String unfinishedFor,
            String waitsFor,
            String lastError) {}

    JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception {
        return switch (op) {
            case "node status" -> gson.toJsonTree(nodes());
            case "node report" -> report(node(request));
            case "node drain" -> drain(node(request), true, progress);
            case "node undrain" -> drain(node(request), false, progress);
            case "node fence" -> fence(node(request), progress);
            case "node start" -> start(request, progress);
            case "plugin status" -> gson.toJsonTree(plugins.list());
            case "plugin upgrade" -> upgrade(request, progress);
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        };
    }

    private static NodeId node(JsonObject request) {
        return NodeId.of(AdminRequests.text(request, "node"));
    }

    private List<NodeRow> nodes() throws IOException {
        JobFile file = JobFile.read(layout.jobs());
        List<NodeRow> rows = new ArrayList<>();
        for (Node node : store.snapshot().nodes()) {
            int allocations = 0;
            for (Allocation allocation : store.snapshot().allocationsOn(node.id())) {
                allocations += allocation.ended() ? 0 : 1;
            }
            rows.add(new NodeRow(
                    node.id().value(),
                    node.status().name(),
                    node.since().toString(),
                    contact(node.id()),
                    node.reason(),
                    ledger(node.ledger()),
                    file.drained().contains(node.id()),
                    allocations));
        }
        return rows;
    }

    /** Returns what the state does not know about the volumes on a node after a restore; empty if it knows all. */
    private static String ledger(NodeLedger ledger) {
        if (ledger.isSettled()) {
            return "";
        }
        return ledger.missing() ? "not reported since the restore" : "has uses without claims";
    }

    /** Returns the time of the last answer of a node's agent, or why there is none. */
    private String contact(NodeId node) {
        return AdminRequests.join(lifecycle
                        .operator()
                        .nodes(NodeQuery.builder().idPrefix(node.value()).build()))
                .items()
                .stream()
                .filter(view -> view.node().id().equals(node))
                .map(view -> view.contactProblem().isEmpty()
                        ? view.lastContact().map(Object::toString).orElse("")
                        : view.contactProblem())
                .findFirst()
                .orElse("");
    }

    /** Returns what the agent of a node reports now. */
    private JsonElement report(NodeId node) {
        known(node);
        NodeView view = AdminRequests.join(lifecycle.operator().node(node));
        if (!view.contactProblem().isEmpty()) {
            throw new IllegalStateException("node " + node + " does not report: " + view.contactProblem());
        }
        List<ReportRow> rows = new ArrayList<>();
        view.report().ifPresent(report -> report.volumes().forEach(volume -> rows.add(row(volume))));
        return gson.toJsonTree(rows);
    }

    private static ReportRow row(NodeVolume volume) {
        return new ReportRow(
                volume.volume().toString(),
                volume.staged(),
                volume.uses().stream()
                        .map(use -> use.allocationId() + " " + use.state()
                                + (use.problem().isEmpty() ? "" : " (" + use.problem() + ")"))
                        .collect(Collectors.joining(", ")),
                volume.call()
                        .map(call -> call.rpc().csiName() + " for " + call.age().toSeconds() + " s")
                        .orElse(""),
                volume.isUnfinished() ? volume.unfinishedFor().toSeconds() + " s" : "",
                volume.waitingFor(),
                volume.lastError());
    }

    /**
     * Begins or ends the drain of a node. If the drain begins, waits until the node has no allocation and no volume.
     */
    private JsonElement drain(NodeId node, boolean drained, Consumer<String> progress) throws Exception {
        known(node);
        String line = "drain " + node;
        JobFile.edit(layout.jobs(), lines -> {
            List<String> changed = new ArrayList<>(lines);
            changed.removeIf(existing -> existing.strip().equals(line));
            if (drained) {
                changed.add(line);
            }
            return changed;
        });
        String last = "";
        while (drained && loop.leading() && !remaining(node).isEmpty()) {
            String waiting = "waiting for " + remaining(node) + unreachable(node);
            if (!waiting.equals(last)) {
                last = waiting;
                progress.accept(last);
            }
            Pause.millis(POLL_MILLIS);
        }
        if (!loop.leading()) {
            throw new NotLeadingException(); // the shell repeats the request at the next leader
        }
        return gson.toJsonTree(nodes());
    }

    private String unreachable(NodeId node) {
        return store.snapshot()
                .node(node)
                .filter(found -> found.status() == NodeStatus.DISCONNECTED)
                .map(found ->
                        "; the node does not answer: bring it back, or switch it off with 'node fence " + node + "'")
                .orElse("");
    }

    private String remaining(NodeId node) {
        List<String> left = new ArrayList<>();
        store.snapshot().allocationsOn(node).forEach(allocation -> {
            if (!allocation.ended()) {
                left.add("allocation " + allocation.id());
            }
        });
        store.snapshot().volumesOn(node).forEach(key -> left.add("volume " + key.volumeId() + onNode(key, node)));
        return String.join(", ", left);
    }

    /** Returns the last error of the node about a volume, from its last report; empty if there is none. */
    private String onNode(VolumeKey key, NodeId node) {
        return AdminRequests.join(lifecycle.claims().status(key)).stream()
                .flatMap(status -> status.onNodes().stream())
                .filter(reported -> reported.nodeId().equals(node))
                .map(reported -> reported.volume().lastError())
                .filter(error -> !error.isEmpty())
                .findFirst()
                .map(error -> " (" + error + ")")
                .orElse("");
    }

    /** Cuts the power of a node first, and only then reports that nothing runs there any more. */
    private JsonElement fence(NodeId node, Consumer<String> progress) throws IOException {
        known(node);
        JsonObject request = new JsonObject();
        request.addProperty("node", node.value());
        power("node off", request, progress);
        progress.accept("reporting " + node + " as fenced");
        AdminRequests.join(lifecycle.cluster().nodeFenced(node, "power switched off by an operator"));
        return gson.toJsonTree(nodes());
    }

    private JsonElement start(JsonObject request, Consumer<String> progress) throws IOException {
        NodeId node = node(request);
        power("node start", request, progress);
        await(
                "the node is ready",
                progress,
                () -> store.snapshot()
                        .node(node)
                        .filter(found -> found.status() == NodeStatus.READY)
                        .isPresent());
        return gson.toJsonTree(nodes());
    }

    private JsonElement upgrade(JsonObject request, Consumer<String> progress) throws IOException {
        NodeId node = node(request);
        String version = AdminRequests.text(request, "version");
        power("plugin upgrade", request, progress);
        await("the plugin of the node is healthy with version " + version, progress, () -> plugins.runs(node, version));
        return gson.toJsonTree(plugins.list());
    }

    /** Waits until a condition holds. If it does not hold in time, the operator sees the present state. */
    private void await(String condition, Consumer<String> progress, BooleanSupplier holds) throws IOException {
        progress.accept("waiting until " + condition);
        long end = System.nanoTime() + POWER.toNanos();
        while (!holds.getAsBoolean()) {
            if (!loop.leading()) {
                throw new NotLeadingException(); // the shell repeats the request at the next leader
            }
            if (System.nanoTime() > end) {
                throw new IOException("not seen within " + POWER.toSeconds() + " s that " + condition
                        + "; look at 'node status' and 'plugin status' (a driver of your own reports its own version)");
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    private JsonElement power(String op, JsonObject request, Consumer<String> progress) throws IOException {
        known(node(request));
        return new LineClient(List.of(layout.powerSocket()), POWER).ask(op, request.deepCopy(), progress);
    }

    private void known(NodeId node) {
        if (!layout.nodeIds().contains(node)) {
            throw new IllegalArgumentException("there is no node '" + node + "'; the nodes are " + layout.nodeIds());
        }
    }
}
