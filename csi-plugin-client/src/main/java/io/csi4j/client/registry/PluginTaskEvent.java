package io.csi4j.client.registry;

import io.csi4j.core.plugin.InstanceKey;
import java.time.Instant;
import java.util.Objects;

/**
 * An event about a plugin's task, for operators.
 *
 * @param key the instance
 * @param kind the kind of event
 * @param description the cause; may be empty
 * @param at the time at which the event was detected
 */
public record PluginTaskEvent(InstanceKey key, Kind kind, String description, Instant at) {
    /** The kind of event. */
    public enum Kind {
        /** The plugin is ready, for the first time or again. */
        HEALTHY,
        /** The plugin was ready and no longer is. */
        UNHEALTHY,
        /** The plugin has exceeded a limit, and the policy advises a restart. At most one such event follows each start of the task. */
        RESTART_ADVISED
    }

    public PluginTaskEvent {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(at, "at");
    }
}
