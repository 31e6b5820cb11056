package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.plugin.PluginView;
import java.util.List;
import java.util.Objects;

/**
 * A plugin with its allocations, all read at the same index of the state.
 *
 * @param plugin the plugin, without allocations in namespaces that the caller may not read
 * @param allocations the plugin's allocations in namespaces that the caller may read
 */
public record PluginReport(PluginView plugin, List<Allocation> allocations) {
    /** Copies the list of allocations, so that later changes of the caller's list have no effect. */
    public PluginReport {
        Objects.requireNonNull(plugin, "plugin");
        allocations = List.copyOf(allocations);
    }
}
