package io.csi4j.core.spi;

import io.csi4j.core.id.PluginId;
import java.time.Instant;
import java.util.Objects;

/**
 * A change in the number of healthy instances of a plugin in the state.
 *
 * @param healthyControllers the number of healthy instances that serve the controller service
 * @param healthyNodes the number of healthy instances that serve the node service
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record PluginHealthEvent(PluginId pluginId, int healthyControllers, int healthyNodes, long index, Instant at) {
    public PluginHealthEvent {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(at, "at");
    }
}
