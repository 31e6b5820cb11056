package io.csi4j.core.spi;

import io.csi4j.core.id.PluginId;
import java.time.Instant;
import java.util.Objects;

/**
 * The number of healthy instances of a plugin changed in the state.
 *
 * @param healthyControllers how many healthy instances serve the controller service now
 * @param healthyNodes how many healthy instances serve the node service now
 * @param index the index of the state at which it can be seen; it may be a later one's
 * @param at when it was proposed
 */
public record PluginHealthEvent(PluginId pluginId, int healthyControllers, int healthyNodes, long index, Instant at) {
    public PluginHealthEvent {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(at, "at");
    }
}
