package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.plugin.PluginView;
import java.util.List;
import java.util.Objects;

/**
 * A plugin with the allocations that run it, of one index (S41).
 *
 * @param plugin the plugin, without allocations of namespaces the caller may not read
 * @param allocations those in namespaces the caller may read
 */
public record PluginReport(PluginView plugin, List<Allocation> allocations) {
    /** Copies the list. */
    public PluginReport {
        Objects.requireNonNull(plugin, "plugin");
        allocations = List.copyOf(allocations);
    }
}
