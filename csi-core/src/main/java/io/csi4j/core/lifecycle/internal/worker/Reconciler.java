package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.CoalescingTask;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Wakes the workers of one term when the state changes, and at intervals. Decides nothing; finds the volumes that may have
 * remaining work.
 */
public final class Reconciler {
    private final Operations operations;
    private final VolumeWorkers lanes;
    private final Term term;
    private final Sweep sweep;
    private final List<Subscription> watches = new ArrayList<>();
    private final CoalescingTask unsettled;
    private final CoalescingTask nodes;
    private final CoalescingTask plugins;
    private final Map<PluginId, PluginState> pluginStates = new HashMap<>();
    private long unsettledSeen;
    private long nodesSeen;

    public Reconciler(Operations operations, VolumeWorkers lanes) {
        this.operations = operations;
        this.lanes = lanes;
        this.term = lanes.term();
        this.sweep = new Sweep(operations, lanes);
        this.unsettled = new CoalescingTask(operations.ports(), term, this::unsettled);
        this.nodes = new CoalescingTask(operations.ports(), term, this::nodes);
        this.plugins = new CoalescingTask(operations.ports(), term, this::plugins);
    }

    /** Starts the watches, and then wakes all unsettled volumes, so that no change in between is missed. */
    public void start() {
        ObservableState observed = operations.ports().log().state();
        StateReader state = observed.snapshot();
        unsettledSeen = -1;
        nodesSeen = state.index();
        watch(observed.subscribeUnsettled(state.index(), new Changes()));
        watch(observed.subscribe(StateScope.of(Table.NODES), state.index(), newer -> nodes.request()));
        watch(observed.subscribe(StateScope.of(Table.PLUGINS), state.index(), newer -> plugins.request()));
        unsettled.request();
        plugins.request();
        sweep.start();
        if (term.over()) {
            stop();
        }
    }

    private synchronized void watch(Subscription subscription) {
        watches.add(subscription);
    }

    /** Stops the watches and the timer. The caller stops workers and waiters. */
    public void stop() {
        synchronized (this) {
            watches.forEach(Subscription::close);
            watches.clear();
        }
        sweep.stop();
    }

    /** Wakes the workers of changed volumes only; the cost does not depend on the number of other volumes. */
    private final class Changes implements VolumeListener {
        @Override
        public void changed(VolumeKey key, long index) {
            if (!term.over()) {
                lanes.wake(key, index);
            }
        }

        @Override
        public void anyChanged(long index) {
            unsettled.request();
        }
    }

    /** Wakes all unsettled volumes: at the start, and when the changed volumes are not known. */
    private long unsettled() {
        StateReader state = operations.state();
        long looked = 0;
        long since = unsettledSeen;
        unsettledSeen = state.index();
        for (VolumeKey key : state.unsettledVolumes()) {
            looked++;
            Optional<Volume> volume = state.volume(key);
            if (volume.isPresent() && volume.get().modifyIndex() > since) {
                lanes.wakeUnsettled(key, volume.get().modifyIndex());
            }
        }
        return looked;
    }

    private long nodes() {
        StateReader state = operations.state();
        long since = nodesSeen;
        nodesSeen = state.index();
        long looked = 0;
        for (Node node : state.nodes()) {
            looked++;
            if (node.modifyIndex() > since) {
                // The claims of live allocations on this node may end with the node.
                boolean outOfReach = node.status() == NodeStatus.DISCONNECTED || node.status() == NodeStatus.DOWN;
                for (VolumeKey key : state.volumesOn(node.id())) {
                    looked++;
                    if (outOfReach) {
                        lanes.wake(key);
                    } else {
                        lanes.wake(key, node.modifyIndex());
                    }
                }
                // The plugin's controllers may have become reachable or unreachable.
                plugins.request();
            }
        }
        return looked;
    }

    private long plugins() {
        lanes.events().pluginsChanged();
        StateReader state = operations.state();
        long looked = 0;
        for (PluginFacts facts : state.facts()) {
            PluginId plugin = facts.pluginId();
            looked++;
            PluginState now = new PluginState(
                    facts.controllerNeed(),
                    facts.expansionNeed(),
                    facts.expandsOfflineOnly(),
                    Placement.healthyController(state, plugin));
            if (!now.equals(pluginStates.put(plugin, now))) {
                for (VolumeKey key : state.volumesOf(plugin)) {
                    looked++;
                    if (VolumeWorkers.unsettled(state, key)) {
                        lanes.wake(key);
                    }
                }
            }
        }
        return looked;
    }

    /** The properties of a plugin that can change plans. */
    private record PluginState(
            ControllerNeed need, ControllerNeed expansion, boolean offlineOnly, boolean controllerAvailable) {}
}
