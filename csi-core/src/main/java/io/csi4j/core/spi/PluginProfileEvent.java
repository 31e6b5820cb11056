package io.csi4j.core.spi;

import io.csi4j.core.id.PluginId;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of the profile of a plugin in the state. No volume changes with a profile.
 *
 * @param change the kind of change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record PluginProfileEvent(PluginId pluginId, Change change, long index, Instant at) {
    public PluginProfileEvent {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of a profile. */
    public enum Change {
        /** The profile was added. */
        ADDED,
        /** The values of the profile were replaced. */
        REPLACED,
        /** The profile was removed. */
        REMOVED
    }
}
