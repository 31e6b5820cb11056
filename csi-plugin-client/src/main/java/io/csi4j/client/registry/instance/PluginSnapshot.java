package io.csi4j.client.registry.instance;

import io.csi4j.core.csi.PluginService;
import io.csi4j.core.plugin.InstanceKey;
import java.util.Objects;
import java.util.Optional;

/**
 * The state of an instance at one time. Immutable.
 *
 * @param key the instance
 * @param state the state of the connection
 * @param description the reason why the instance is not ready, for operators; empty: it is ready
 * @param process the number of processes that have served the socket so far; 0: none yet
 * @param facts the facts that this or an earlier process reported last; empty: none. A failure does not remove them
 * @param exceeded the limit that the instance has exceeded; empty: none
 */
public record PluginSnapshot(
        InstanceKey key,
        PluginState state,
        String description,
        long process,
        Optional<InstanceFacts> facts,
        Optional<ExceededLimit> exceeded) {
    public PluginSnapshot {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(facts, "facts");
        Objects.requireNonNull(exceeded, "exceeded");
    }

    /** Returns whether the instance is healthy and has reported its facts: true in the state READY only. */
    public boolean ready() {
        return state == PluginState.READY;
    }

    /**
     * Returns whether the instance can be called in a role: it is ready, its type serves the role and, for the controller, the plugin reports a controller service.
     */
    public boolean serves(PluginRole role) {
        if (!ready() || !role.servedBy(key.type())) {
            return false;
        }
        return role == PluginRole.NODE
                || facts.map(reported -> reported.capabilities().has(PluginService.CONTROLLER_SERVICE))
                        .orElse(false);
    }

    /** Returns the instance, its state and the reason, as one sentence for operators. */
    public String summary() {
        return key + " is " + state + (description.isEmpty() ? "" : ": " + description);
    }
}
