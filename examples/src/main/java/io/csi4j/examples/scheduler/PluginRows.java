package io.csi4j.examples.scheduler;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import java.util.ArrayList;
import java.util.List;

/** The plugins and their instances, as rows for operators. */
final class PluginRows {
    record PluginRow(
            String plugin,
            String provider,
            String version,
            int healthyControllers,
            int healthyNodes,
            int conflicts,
            List<InstanceRow> instances,
            List<UnprovedRow> unproved) {}

    record InstanceRow(
            String node,
            String type,
            boolean healthy,
            String version,
            String provider,
            String machine,
            boolean conflict,
            String health) {}

    /** An instance that has not answered since the time of its registration; it counts in nothing. */
    record UnprovedRow(String node, String type, String since, String health) {}

    private final VolumeLifecycle lifecycle;

    PluginRows(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** Returns whether a healthy instance of the given version runs on a node. */
    boolean runs(NodeId node, String version) {
        return list().stream()
                .flatMap(plugin -> plugin.instances().stream())
                .anyMatch(instance -> instance.node().equals(node.value())
                        && instance.healthy()
                        && instance.version().equals(version));
    }

    List<PluginRow> list() {
        List<PluginRow> rows = new ArrayList<>();
        for (PluginView outline : AdminRequests.join(lifecycle.operator().plugins(PluginQuery.all()))
                .items()) {
            PluginId id = outline.pluginId();
            AdminRequests.join(lifecycle.operator().plugin(id)).ifPresent(report -> {
                PluginView plugin = report.plugin();
                rows.add(new PluginRow(
                        id.value(),
                        plugin.provider().orElse(""),
                        plugin.vendorVersion().orElse(""),
                        plugin.healthyControllers(),
                        plugin.healthyNodes(),
                        plugin.conflictCount(),
                        plugin.instances().stream()
                                .map(instance ->
                                        row(instance, plugin.conflicts().contains(instance)))
                                .toList(),
                        plugin.unproved().stream().map(PluginRows::unproved).toList()));
            });
        }
        return rows;
    }

    private static InstanceRow row(PluginInstance instance, boolean conflict) {
        return new InstanceRow(
                instance.key().nodeId().value(),
                instance.key().type().name(),
                instance.healthy(),
                instance.vendorVersion().orElse(""),
                instance.provider().orElse(""),
                instance.nodeInfo()
                        .map(info -> info.externalNodeId().toString())
                        .orElse(""),
                conflict,
                instance.healthDescription());
    }

    private static UnprovedRow unproved(PluginInstance instance) {
        return new UnprovedRow(
                instance.key().nodeId().value(),
                instance.key().type().name(),
                instance.startedAt().toString(),
                instance.healthDescription());
    }
}
