package io.csi4j.core.lifecycle.health;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Finds the problems of nodes: in the reports of their agents, and in the plugins that the state has for them. Remembers
 * which plugins it has seen on which nodes. Thread-safe.
 */
final class NodeFindings {
    /** The time after which a plugin that is no longer seen on a node counts as removed on purpose. */
    private static final Duration REMEMBERED = Duration.ofDays(1);

    private final Duration limit;
    private final Function<NodeId, Set<PluginId>> declared;
    /** The plugins that were healthy on each node, with the last time. */
    private Map<NodeId, Map<PluginId, Instant>> seen = new HashMap<>();
    /** The plugins that are missing on each node, with the time at which the check first missed them. */
    private Map<NodeId, Map<PluginId, Instant>> missing = new HashMap<>();

    /** The nodes that are DISCONNECTED, with the time at which the check first found it. */
    private Map<NodeId, Instant> disconnected = new HashMap<>();

    NodeFindings(Duration limit, Function<NodeId, Set<PluginId>> declared) {
        this.limit = limit;
        this.declared = declared;
    }

    /**
     * Adds the problems to a report.
     *
     * @param now the elapsed time, since the clock may be set
     */
    void collect(HealthReport report, StateReader state, List<NodeView> nodes, Instant now) {
        silent(report, nodes);
        disconnected(report, nodes, now);
        work(report, nodes);
        broken(report, nodes);
        plugins(report, state, nodes, now);
    }

    private void silent(HealthReport report, List<NodeView> nodes) {
        List<NodeView> silent =
                nodes.stream().filter(node -> node.isSilent(limit)).toList();
        if (!silent.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NODE_SILENT,
                    "the agents of " + silent.size() + " nodes that are READY do not answer: "
                            + HealthFindings.listed(silent.stream()
                                    .map(node -> "node " + node.node().id() + " (" + node.contactProblem() + ")")),
                    "Check that the agent runs and that the servers reach it; if the machine is gone, report the node"
                            + " as down, or fence it.");
        }
    }

    private synchronized void disconnected(HealthReport report, List<NodeView> nodes, Instant now) {
        Map<NodeId, Instant> still = new HashMap<>();
        List<String> late = new ArrayList<>();
        for (NodeView view : nodes) {
            Node node = view.node();
            if (node.status() == NodeStatus.DISCONNECTED) {
                Instant since = disconnected.getOrDefault(node.id(), now);
                still.put(node.id(), since);
                if (HealthFindings.exceeds(limit, since, now)) {
                    late.add("node " + node.id() + (node.reason().isEmpty() ? "" : " (" + node.reason() + ")"));
                }
            }
        }
        disconnected = still;
        if (!late.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NODE_DISCONNECTED,
                    late.size() + " nodes are DISCONNECTED: " + HealthFindings.listed(late.stream()),
                    "Check the machine, its network and its agent; the node is READY again when it answers. If it is lost,"
                            + " switch it off, and then report it as fenced. Until then its volumes stay with it.");
        }
    }

    private void work(HealthReport report, List<NodeView> nodes) {
        List<String> stuck = new ArrayList<>();
        each(nodes, (node, volume) -> {
            if (volume.unfinishedFor().compareTo(limit) > 0) {
                stuck.add("volume " + volume.volume() + " on node " + node.id() + " ("
                        + (volume.isUnmounting() ? "unmount" : "mount") + why(volume) + ")");
            }
        });
        if (!stuck.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NODE_WORK_STUCK,
                    stuck.size() + " mounts and unmounts on nodes take longer than " + Durations.text(limit) + ": "
                            + HealthFindings.listed(stuck.stream()),
                    "Check the plugin on the node; restart it if it hangs. If it cannot unmount any more, unmount by hand,"
                            + " and order that the unmount is forgotten (csi node forget-unmount, forgetUnmount in Java).");
        }
    }

    private static String why(NodeVolume volume) {
        String call = volume.call()
                .map(made -> ", " + made.rpc().csiName() + " has no answer for "
                        + made.age().toSeconds() + " s")
                .orElse("");
        String error = volume.lastError().isEmpty() ? "" : ", last error: " + volume.lastError();
        String waiting = call.isEmpty() && error.isEmpty() ? ", " + volume.waitingFor() : "";
        return call + error + waiting;
    }

    private static void broken(HealthReport report, List<NodeView> nodes) {
        List<String> broken = new ArrayList<>();
        each(nodes, (node, volume) -> {
            if (!volume.stagingProblem().isEmpty()) {
                broken.add("the staging of volume " + volume.volume() + " on node " + node.id() + " ("
                        + volume.stagingProblem() + ")");
            }
            volume.uses().stream()
                    .filter(use -> !use.problem().isEmpty())
                    .forEach(use -> broken.add("volume " + volume.volume() + " of allocation " + use.allocationId()
                            + " on node " + node.id() + " (" + use.problem() + ")"));
        });
        if (!broken.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NODE_MOUNT_BROKEN,
                    broken.size() + " mounts are broken: " + HealthFindings.listed(broken.stream()),
                    "Check the storage and the plugin; end the workload and start it again, so that the volume is"
                            + " mounted again.");
        }
    }

    @FunctionalInterface
    private interface VolumeOnNode {
        void found(Node node, NodeVolume volume);
    }

    private static void each(List<NodeView> nodes, VolumeOnNode found) {
        for (NodeView view : nodes) {
            view.report().ifPresent(report -> report.volumes().forEach(volume -> found.found(view.node(), volume)));
        }
    }

    private synchronized void plugins(HealthReport report, StateReader state, List<NodeView> nodes, Instant now) {
        Map<NodeId, Map<PluginId, Instant>> stillSeen = new HashMap<>();
        Map<NodeId, Map<PluginId, Instant>> stillMissing = new HashMap<>();
        List<String> late = new ArrayList<>();
        List<String> unhealthy = new ArrayList<>();
        List<PluginId> known = new ArrayList<>();
        state.facts().forEach(facts -> known.add(facts.pluginId()));
        for (NodeView view : nodes) {
            NodeId nodeId = view.node().id();
            Map<PluginId, Instant> healthy = healthy(state, nodeId, now);
            Map<PluginId, Instant> here = new HashMap<>();
            seen.getOrDefault(nodeId, Map.of()).forEach((plugin, at) -> {
                if (!HealthFindings.exceeds(REMEMBERED, at, now)) {
                    here.put(plugin, at);
                }
            });
            here.putAll(healthy);
            stillSeen.put(nodeId, here);
            if (view.node().status() != NodeStatus.READY) {
                continue;
            }
            Set<PluginId> expected = new TreeSet<>(declared.apply(nodeId));
            expected.addAll(here.keySet());
            known.stream()
                    .filter(plugin -> state.volumesOn(nodeId, plugin).iterator().hasNext())
                    .forEach(expected::add);
            expected.removeAll(healthy.keySet());
            Set<PluginId> named = new HashSet<>();
            Map<PluginId, Instant> before = missing.getOrDefault(nodeId, Map.of());
            for (PluginId plugin : expected) {
                Instant since = before.getOrDefault(plugin, now);
                stillMissing.computeIfAbsent(nodeId, id -> new HashMap<>()).put(plugin, since);
                if (HealthFindings.exceeds(limit, since, now)) {
                    late.add("plugin " + plugin + " on node " + nodeId + unproved(state, nodeId, plugin));
                    named.add(plugin);
                }
            }
            unhealthy(state, nodeId, named, unhealthy);
        }
        seen = stillSeen;
        missing = stillMissing;
        if (!late.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NODE_PLUGIN_MISSING,
                    late.size() + " plugins are missing or not healthy on nodes where they should run: "
                            + HealthFindings.listed(late.stream()),
                    "Start the plugin on the node, or read the health that it reports. If it was removed on purpose, move"
                            + " the workloads that use its volumes; this ends after a day.");
        }
        if (!unhealthy.isEmpty()) {
            report.add(
                    HealthProblem.Kind.PLUGIN_UNHEALTHY,
                    unhealthy.size() + " instances of plugins are not healthy: "
                            + HealthFindings.listed(unhealthy.stream()),
                    "Wait if the plugin has just started; otherwise read its log, and restart it if it hangs.");
        }
    }

    /**
     * Adds the instances on a node that answered before and are not healthy.
     *
     * @param named the plugins on the node that another problem names
     */
    private static void unhealthy(StateReader state, NodeId nodeId, Set<PluginId> named, List<String> unhealthy) {
        for (PluginInstance instance : state.instancesOn(nodeId)) {
            if (instance.proved()
                    && !instance.healthy()
                    && !named.contains(instance.key().pluginId())) {
                String why = instance.healthDescription();
                unhealthy.add("plugin " + instance.key().pluginId() + " on node " + nodeId
                        + (why.isEmpty() ? "" : " (" + why + ")"));
            }
        }
    }

    /** Returns the time since which an instance is registered that has not answered yet; an empty text if there is none. */
    private static String unproved(StateReader state, NodeId nodeId, PluginId plugin) {
        for (PluginInstance instance : state.instancesOn(nodeId)) {
            if (!instance.proved() && instance.key().pluginId().equals(plugin)) {
                return " (registered, no answer yet, since " + instance.startedAt() + ")";
            }
        }
        return "";
    }

    private static Map<PluginId, Instant> healthy(StateReader state, NodeId nodeId, Instant now) {
        Map<PluginId, Instant> healthy = new HashMap<>();
        for (PluginInstance instance : state.instancesOn(nodeId)) {
            if (instance.healthy() && instance.key().type().servesNode()) {
                healthy.put(instance.key().pluginId(), now);
            }
        }
        return healthy;
    }
}
