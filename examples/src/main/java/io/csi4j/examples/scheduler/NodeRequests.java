package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.state.ObservableState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The requests of operators about nodes that only this scheduler has. */
final class NodeRequests {
    private static final long POLL_MILLIS = 200;
    private static final Duration POWER = Duration.ofSeconds(30);

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final SchedulingLoop loop;
    private final ClusterLayout layout;

    NodeRequests(VolumeLifecycle lifecycle, ObservableState store, SchedulingLoop loop, ClusterLayout layout) {
        this.lifecycle = lifecycle;
        this.store = store;
        this.loop = loop;
        this.layout = layout;
    }

    JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception {
        return switch (op) {
            case "node drain" -> drain(node(request), true, progress);
            case "node undrain" -> drain(node(request), false, progress);
            case "node fence" -> fence(node(request), progress);
            case "node start" -> start(request, progress);
            case "plugin upgrade" -> upgrade(request, progress);
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        };
    }

    private static NodeId node(JsonObject request) {
        return NodeId.of(AdminRequests.text(request, "node"));
    }

    private JsonElement status(NodeId node) throws IOException {
        JsonObject status = new JsonObject();
        status.addProperty("node", node.value());
        status.addProperty(
                "status",
                store.snapshot().node(node).map(found -> found.status().name()).orElse("unknown"));
        status.addProperty("drained", JobFile.read(layout.jobs()).drained().contains(node));
        return status;
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
        return status(node);
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
        return status(node);
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
        return status(node);
    }

    private JsonElement upgrade(JsonObject request, Consumer<String> progress) throws IOException {
        NodeId node = node(request);
        String version = AdminRequests.text(request, "version");
        power("plugin upgrade", request, progress);
        await("the plugin of the node is healthy with version " + version, progress, () -> runs(node, version));
        return status(node);
    }

    /** Returns whether a healthy instance of the given version runs on a node. */
    private boolean runs(NodeId node, String version) {
        return AdminRequests.join(lifecycle.operator().plugin(ClusterLayout.PLUGIN)).stream()
                .flatMap(report -> report.plugin().instances().stream())
                .anyMatch(instance -> instance.key().nodeId().equals(node)
                        && instance.healthy()
                        && instance.vendorVersion().equals(Optional.of(version)));
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
                        + "; look at 'node list' and 'plugin status' (a driver of your own reports its own version)");
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
