package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.CoalescingTask;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Wakes workers when the state changes, and at intervals, during one term of leadership. It finds the volumes that may
 * have remaining work; the workers decide what to do.
 */
public final class Reconciler {
    private final Operations operations;
    private final VolumeWorkers workers;
    private final Term term;
    private final Sweep sweep;
    private final List<Subscription> watches = new ArrayList<>();
    private final CoalescingTask unsettled;
    private final CoalescingTask nodes;
    private final CoalescingTask plugins;
    private final CoalescingTask clusterLog;
    private final LedgerQueries ledgers;
    private long unsettledIndex;
    private long nodesIndex;
    /** The ledgers that were not settled at the last run; used in the task of the nodes only. */
    private List<NodeLedger> openLedgers = List.of();

    public Reconciler(Operations operations, VolumeWorkers workers) {
        this.operations = operations;
        this.workers = workers;
        this.term = workers.term();
        this.sweep = new Sweep(operations, workers);
        this.ledgers = new LedgerQueries(operations, term);
        this.unsettled = new CoalescingTask(operations.ports(), term, this::unsettled);
        this.nodes = new CoalescingTask(operations.ports(), term, this::nodes);
        this.plugins = new CoalescingTask(operations.ports(), term, this::plugins);
        ClusterLog lines = new ClusterLog(operations.ports().trust());
        this.clusterLog = new CoalescingTask(operations.ports(), term, () -> lines.read(operations.state()));
        workers.pluginStates().checkWith(plugins::request);
    }

    /**
     * Starts the watches first, and then wakes the workers of all volumes with remaining work. In this order, no change
     * is missed.
     */
    public void start() {
        ObservableState observed = operations.ports().log().state();
        StateReader state = observed.snapshot();
        state.nodes().forEach(workers.nodeTimes()::saw);
        unsettledIndex = -1;
        nodesIndex = state.index();
        watch(observed.subscribeUnsettled(state.index(), new Changes()));
        watch(observed.subscribe(StateScope.of(Table.NODES), state.index(), newer -> {
            nodes.request();
            clusterLog.request();
        }));
        watch(observed.subscribe(StateScope.of(Table.PLUGINS), state.index(), newer -> {
            plugins.request();
            clusterLog.request();
        }));
        unsettled.request();
        nodes.request();
        plugins.request();
        clusterLog.request();
        sweep.start();
        if (term.ended()) {
            stop();
        }
    }

    private synchronized void watch(Subscription subscription) {
        watches.add(subscription);
    }

    /** Stops the watches and the timer. The caller stops the workers and their waiters. */
    public void stop() {
        synchronized (this) {
            watches.forEach(Subscription::close);
            watches.clear();
        }
        ledgers.close();
        sweep.stop();
    }

    /**
     * Wakes only the workers of volumes that have changed, so the cost does not depend on the number of other volumes.
     */
    private final class Changes implements VolumeListener {
        @Override
        public void changed(VolumeKey key, long index) {
            if (term.ended()) {
                return;
            }
            try {
                workers.wake(key, index);
                workers.sources().changed();
            } catch (RuntimeException | Error e) {
                FailureLog.warn("A change of volume " + key + " was not planned; all changes are looked up again", e);
                unsettled.request();
            }
        }

        @Override
        public void anyChanged(long index) {
            unsettled.request();
        }
    }

    /**
     * Wakes the workers of those volumes with remaining work that changed since the last run, and returns the number of
     * volumes with remaining work. Runs at the start, and when it is not known which volumes have changed.
     */
    private long unsettled() {
        StateReader state = operations.state();
        long rows = 0;
        workers.sources().changed();
        for (VolumeKey key : state.unsettledVolumes()) {
            rows++;
            Optional<Volume> volume = state.volume(key);
            if (volume.isPresent() && volume.get().modifyIndex() > unsettledIndex) {
                workers.wakeUnsettled(key, volume.get().modifyIndex());
            }
        }
        // A volume that callers wait for may have no remaining work any more.
        workers.waits().awaited().forEach(key -> workers.wake(key, state.index()));
        // A run that failed does not come here, so the next run processes the same changes.
        unsettledIndex = state.index();
        return rows;
    }

    private long nodes() {
        StateReader state = operations.state();
        long rows = 0;
        for (Node node : state.nodes()) {
            rows++;
            if (node.modifyIndex() > nodesIndex) {
                workers.nodeTimes().saw(node);
                // If the node cannot be reached, all its volumes are planned again: even the claims of running
                // allocations may have to be released.
                boolean outOfReach = node.status() == NodeStatus.DISCONNECTED || node.status() == NodeStatus.DOWN;
                for (VolumeKey key : state.volumesOn(node.id())) {
                    rows++;
                    if (outOfReach) {
                        workers.wake(key);
                    } else {
                        workers.wake(key, node.modifyIndex());
                    }
                }
                // Checks the plugins, because their controller instances on this node may have become reachable or
                // unreachable.
                plugins.request();
            }
        }
        nodesIndex = state.index();
        return rows + ledgers(state);
    }

    /**
     * Asks the nodes whose ledgers are not settled. When a ledger was settled, wakes the workers of all
     * volumes with remaining work, because a volume may have waited for the ledger of any node.
     */
    private long ledgers(StateReader state) {
        List<NodeLedger> now = new ArrayList<>();
        boolean missing = false;
        for (Node node : state.unsettledNodes()) {
            missing |= node.ledger().missing();
            if (!node.ledger().unclaimed().isEmpty()) {
                now.add(node.ledger());
            }
        }
        if (missing) {
            now.add(NodeLedger.missingSince(Long.MAX_VALUE));
        }
        long rows = 0;
        if (!openLedgers.isEmpty() && !now.equals(openLedgers)) {
            for (VolumeKey key : state.unsettledVolumes()) {
                rows++;
                workers.wake(key);
            }
        }
        openLedgers = now;
        ledgers.request(state);
        return rows;
    }

    private long plugins() {
        workers.events().pluginsChanged();
        operations.calls().limitsChanged();
        StateReader state = operations.state();
        long rows = 0;
        for (PluginFacts facts : state.facts()) {
            PluginId plugin = facts.pluginId();
            rows++;
            if (workers.pluginStates().update(state, facts)) {
                rows += wakeVolumesOf(plugin, state);
            }
        }
        return rows;
    }

    private long wakeVolumesOf(PluginId plugin, StateReader state) {
        long rows = 0;
        try {
            for (VolumeKey key : state.volumesOf(plugin)) {
                rows++;
                if (VolumeWorkers.unsettled(state, key)) {
                    workers.wake(key);
                }
            }
            return rows;
        } catch (RuntimeException e) {
            // The next run finds the change of the plugin again.
            workers.pluginStates().forget(plugin);
            throw e;
        }
    }
}
