package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A change in the set of nodes where a plugin's instance reports another provider name than the one that the plugin's
 * volumes belong to. Such an instance is not called. The names are in the plugin's view.
 *
 * @param nodes the nodes with such an instance, in order; empty if the conflict has ended
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record PluginConflictEvent(PluginId pluginId, List<NodeId> nodes, long index, Instant at) {
    /** Copies the list of nodes, so that later changes of the caller's list have no effect. */
    public PluginConflictEvent {
        Objects.requireNonNull(pluginId, "pluginId");
        nodes = List.copyOf(nodes);
        Objects.requireNonNull(at, "at");
    }
}
