package io.csi4j.registry;

import io.csi4j.core.plugin.InstanceKey;
import java.time.Instant;
import java.util.Objects;

/**
 * Something an operator wants to know about a plugin's task.
 *
 * @param key which instance
 * @param kind what happened
 * @param description why, for an operator; possibly empty
 * @param at when it was noticed
 */
public record PluginTaskEvent(InstanceKey key, Kind kind, String description, Instant at) {
    /** What happened. */
    public enum Kind {
        /** It is ready, for the first time or again. */
        HEALTHY,
        /** It was ready and no longer is. */
        UNHEALTHY,
        /** It has exceeded a limit, and the policy says that it should be started anew. Once for each start. */
        RESTART_ADVISED
    }

    /** Checks that all parts are there. */
    public PluginTaskEvent {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(at, "at");
    }
}
