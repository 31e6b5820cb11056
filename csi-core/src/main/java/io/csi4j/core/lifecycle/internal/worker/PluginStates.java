package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Remembers, for each plugin, the properties that plans depend on. The engine uses it to find the plugins with changed
 * properties, whose volumes have to be planned again. Thread-safe.
 */
final class PluginStates {
    private final ConcurrentMap<PluginId, PluginState> latest = new ConcurrentHashMap<>();
    private volatile Runnable check = () -> {};

    /** Sets the task that calls {@link #update} for each plugin soon. */
    void checkWith(Runnable task) {
        check = task;
    }

    /** Stores the current properties of a plugin. Returns whether they differ from the previously stored ones. */
    boolean update(StateReader state, PluginFacts facts) {
        PluginState now = PluginState.in(state, facts);
        return !now.equals(latest.put(facts.pluginId(), now));
    }

    /**
     * Called after a plan that only waits. If the plan used other properties of the plugin than the stored ones, this
     * method removes the stored ones and requests a check of all plugins. {@link #update} then reports a change, so
     * that the plugin's volumes are planned again.
     */
    void planned(StateReader state, PluginId plugin) {
        Optional<PluginState> used = state.facts(plugin).map(facts -> PluginState.in(state, facts));
        if (!used.equals(Optional.ofNullable(latest.get(plugin)))) {
            forget(plugin);
            check.run();
        }
    }

    /** Removes the stored properties of a plugin, so that the next {@link #update} reports a change. */
    void forget(PluginId plugin) {
        latest.remove(plugin);
    }

    private record PluginState(
            ControllerNeed need, ControllerNeed expansion, boolean offlineOnly, boolean controllerAvailable) {
        static PluginState in(StateReader state, PluginFacts facts) {
            return new PluginState(
                    facts.controllerNeed(),
                    facts.expansionNeed(),
                    facts.expandsOfflineOnly(),
                    Placement.healthyController(state, facts.pluginId()));
        }
    }
}
