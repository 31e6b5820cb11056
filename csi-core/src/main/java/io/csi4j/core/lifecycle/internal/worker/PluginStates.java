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

    /** Returns whether a plugin has other properties now than at the previous call of this method. */
    boolean update(StateReader state, PluginFacts facts) {
        PluginState now = PluginState.in(state, facts);
        return !now.equals(latest.put(facts.pluginId(), now));
    }

    /**
     * Compares the properties that a plan has used with those of the last update. If they differ, the plugin may have
     * changed and changed back between two updates. The next update then reports a change, so that the plan is made
     * again.
     */
    void planned(StateReader state, PluginId plugin) {
        Optional<PluginState> used = state.facts(plugin).map(facts -> PluginState.in(state, facts));
        if (!used.equals(Optional.ofNullable(latest.get(plugin)))) {
            latest.remove(plugin);
            check.run();
        }
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
