package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Remembers, for each plugin, the properties that plans depend on. The engine uses it to find the plugins with changed
 * properties, whose volumes have to be planned again. Thread-safe.
 */
final class PluginStates {
    private static final List<Rpc> PLANNED = List.of(
            Rpc.CREATE_VOLUME,
            Rpc.DELETE_VOLUME,
            Rpc.CONTROLLER_PUBLISH_VOLUME,
            Rpc.CONTROLLER_UNPUBLISH_VOLUME,
            Rpc.CONTROLLER_EXPAND_VOLUME,
            Rpc.CONTROLLER_MODIFY_VOLUME,
            Rpc.VALIDATE_VOLUME_CAPABILITIES);

    private final ConcurrentMap<PluginId, PluginState> latest = new ConcurrentHashMap<>();
    private final ConcurrentMap<PluginId, Conflicts> conflicts = new ConcurrentHashMap<>();
    private final ControllerTrust trust;
    private volatile Runnable check = () -> {};

    PluginStates(ControllerTrust trust) {
        this.trust = trust;
    }

    /** Sets the task that calls {@link #update} for each plugin soon. */
    void checkWith(Runnable task) {
        check = task;
    }

    /** Stores the current properties of a plugin. Returns whether they differ from the previously stored ones. */
    boolean update(StateReader state, PluginFacts facts) {
        PluginState now = properties(state, facts);
        return !now.equals(latest.put(facts.pluginId(), now));
    }

    /**
     * Called after a plan that only waits. If the plan used other properties of the plugin than the stored ones, this
     * method removes the stored ones and requests a check of all plugins. {@link #update} then reports a change, so
     * that the plugin's volumes are planned again.
     */
    void planned(StateReader state, PluginId plugin) {
        Optional<PluginState> used = state.facts(plugin).map(facts -> properties(state, facts));
        if (!used.equals(Optional.ofNullable(latest.get(plugin)))) {
            forget(plugin);
            check.run();
        }
    }

    /** Removes the stored properties of a plugin, so that the next {@link #update} reports a change. */
    void forget(PluginId plugin) {
        latest.remove(plugin);
    }

    private PluginState properties(StateReader state, PluginFacts facts) {
        Set<Rpc> calls = EnumSet.noneOf(Rpc.class);
        for (Rpc rpc : PLANNED) {
            if (Placement.healthyController(state, trust, facts.pluginId(), rpc)) {
                calls.add(rpc);
            }
        }
        return new PluginState(
                facts.controllerNeed(),
                facts.expansionNeed(),
                facts.expandsOfflineOnly(),
                facts.provider(),
                calls,
                EnginePorts.callSettings(state, facts.pluginId()).callsPerVolume(),
                conflicts(state, facts));
    }

    private Set<NodeId> conflicts(StateReader state, PluginFacts facts) {
        Object instances = state.version(RowType.INSTANCES);
        Conflicts known = conflicts.get(facts.pluginId());
        if (known == null
                || !known.instances().equals(instances)
                || !known.facts().equals(facts)) {
            known = Conflicts.in(state, facts);
            conflicts.put(facts.pluginId(), known);
        }
        return known.nodes();
    }

    /**
     * The properties of a plugin on which plans depend.
     *
     * @param calls the controller calls that can be made
     * @param callsPerVolume the number of nodes at which one volume may be called at the same time
     * @param conflicts the nodes where the plugin's instance runs another driver
     */
    private record PluginState(
            ControllerNeed need,
            ControllerNeed expansion,
            boolean offlineOnly,
            Optional<String> provider,
            Set<Rpc> calls,
            int callsPerVolume,
            Set<NodeId> conflicts) {}

    /**
     * The nodes where a plugin's instance runs another driver. They are stored, because a plugin may have an instance on
     * each of thousands of nodes, and the properties of the plugin are read after every plan that only waits.
     *
     * @param facts the plugin for which they were computed
     * @param instances the version of all instances for which they were computed
     */
    private record Conflicts(PluginFacts facts, Object instances, Set<NodeId> nodes) {
        static Conflicts in(StateReader state, PluginFacts facts) {
            Set<NodeId> nodes = new HashSet<>();
            for (PluginInstance instance : state.instancesOf(facts.pluginId())) {
                if (facts.conflictsWith(instance)
                        && Placement.providerConflict(state, instance.key().nodeId(), facts.pluginId())) {
                    nodes.add(instance.key().nodeId());
                }
            }
            return new Conflicts(facts, state.version(RowType.INSTANCES), nodes);
        }
    }
}
