package io.csi4j.registry.instance;

import io.csi4j.core.csi.PluginService;
import io.csi4j.core.plugin.InstanceKey;
import java.util.Objects;
import java.util.Optional;

/**
 * An instance as it was at one moment. Immutable.
 *
 * @param key which instance
 * @param state where the connection stands
 * @param description why it is not ready, for an operator; empty if nothing is the matter
 * @param process counts the processes that were seen behind the socket; 0: none yet
 * @param facts what it told last, by whichever process; empty: it never told. Errors take nothing away
 * @param exceeded the limit that its trouble has exceeded; empty: none, or there is no trouble
 */
public record PluginSnapshot(
        InstanceKey key,
        PluginState state,
        String description,
        long process,
        Optional<InstanceFacts> facts,
        Optional<ExceededLimit> exceeded) {
    /** Checks that all parts are there. */
    public PluginSnapshot {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(description, "description");
        Objects.requireNonNull(facts, "facts");
        Objects.requireNonNull(exceeded, "exceeded");
    }

    /**
     * Whether it is well and told its facts.
     *
     * @return true in the state READY only
     */
    public boolean ready() {
        return state == PluginState.READY;
    }

    /**
     * Whether it can be called now in a role: it is ready, meant to serve the role and, for the controller, the
     * plugin says that it has a controller service.
     *
     * @param role the role
     * @return true if so
     */
    public boolean serves(PluginRole role) {
        if (!ready() || !role.servedBy(key.type())) {
            return false;
        }
        return role == PluginRole.NODE
                || facts.map(told -> told.services().has(PluginService.CONTROLLER_SERVICE))
                        .orElse(false);
    }

    /**
     * The instance, its state and why it is in that state.
     *
     * @return one sentence for an operator
     */
    public String summary() {
        return key + " is " + state + (description.isEmpty() ? "" : ": " + description);
    }
}
