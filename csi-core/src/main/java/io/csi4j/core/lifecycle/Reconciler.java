package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plan.PlanFacts;
import io.csi4j.core.plan.VolumePlan;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the lanes of one term: on what the state's watches tell, and on a timer. It decides nothing; it
 * only finds volumes that may need a look.
 */
final class Reconciler {
    private static final int PAGE = 1000;
    /** So many volumes are looked at again at once. */
    private static final int FEW = 50;

    private static final VolumeQuery FIRST = VolumeQuery.builder().limit(PAGE).build();
    /** A look at many volumes is paid for with a pause, so that a storm of changes costs a part of a core at most. */
    private static final long PAUSE_NANOS_PER_VOLUME = 10_000;

    private final Operations operations;
    private final Lanes lanes;
    private final Term term;
    private final List<Subscription> watches = new ArrayList<>();
    private final Looker unsettled;
    private final Looker nodes;
    private final Looker plugins;
    private final Map<PluginId, PluginState> pluginStates = new HashMap<>();
    private @Nullable Cancellable scan;
    private long unsettledSeen;
    private long nodesSeen;

    Reconciler(Operations operations, Lanes lanes) {
        this.operations = operations;
        this.lanes = lanes;
        this.term = lanes.term();
        this.unsettled = new Looker(this::unsettled);
        this.nodes = new Looker(this::nodes);
        this.plugins = new Looker(this::plugins);
    }

    /** Begins: watches first, and then a look at everything, so that nothing is missed in between. */
    void start() {
        StateReader state = operations.state();
        unsettledSeen = -1;
        nodesSeen = state.index();
        watch(StateScope.unsettledVolumes(), state.index(), unsettled);
        watch(StateScope.of(Table.NODES), state.index(), nodes);
        watch(StateScope.of(Table.PLUGINS), state.index(), plugins);
        unsettled.request();
        plugins.request();
        sweep(FIRST);
        if (term.over()) {
            stop();
        }
    }

    private void watch(StateScope scope, long index, Looker looker) {
        Subscription subscription = operations.ports().log().state().subscribe(scope, index, newer -> looker.request());
        synchronized (this) {
            watches.add(subscription);
        }
    }

    /** Ends. Lanes and waiters are not its business. */
    synchronized void stop() {
        watches.forEach(Subscription::close);
        watches.clear();
        if (scan != null) {
            scan.cancel();
        }
    }

    private long unsettled() {
        StateReader state = operations.state();
        long looked = 0;
        long since = unsettledSeen;
        unsettledSeen = state.index();
        for (VolumeKey key : state.unsettledVolumes()) {
            looked++;
            Optional<Volume> volume = state.volume(key);
            if (volume.isPresent() && volume.get().modifyIndex() > since) {
                lanes.wake(key, volume.get().modifyIndex());
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
                looked += wake(state, state.volumesOn(node.id()));
                // Its controllers may have come into reach, or gone out of it.
                plugins.request();
            }
        }
        return looked;
    }

    private long plugins() {
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
                looked += wake(state, state.volumesOf(plugin));
            }
        }
        return looked;
    }

    /** What of a plugin changes plans. */
    private record PluginState(
            ControllerNeed need, ControllerNeed expansion, boolean offlineOnly, boolean controllerAvailable) {}

    private long wake(StateReader state, Iterable<VolumeKey> keys) {
        long looked = 0;
        for (VolumeKey key : keys) {
            looked++;
            if (state.volume(key).filter(Volume::unsettled).isPresent()) {
                lanes.wake(key);
            }
        }
        return looked;
    }

    /** Looks at all volumes, a page in each task, for what no event told of; then again after a while. */
    private void sweep(VolumeQuery query) {
        operations.ports().executor().execute(() -> {
            if (term.over()) {
                return;
            }
            try {
                page(query);
            } catch (RuntimeException e) {
                FailureLog.warn("A scan of the volumes failed; the next one begins as if it had not", e);
                later();
            }
        });
    }

    private void page(VolumeQuery query) {
        StateReader state = operations.state();
        VolumePage page = state.volumes(query);
        for (Volume volume : page.items()) {
            boolean idle = VolumePlan.of(
                            volume,
                            PlanFacts.from(state, volume, operations.now())
                                    .sweep(true)
                                    .build())
                    .idle();
            if (!idle) {
                lanes.sweep(volume.key());
            }
        }
        if (page.next().isPresent()) {
            sweep(query.toBuilder().after(page.next().get()).build());
        } else {
            later();
        }
    }

    private synchronized void later() {
        if (!term.over()) {
            scan = operations
                    .ports()
                    .timer()
                    .schedule(operations.ports().options().scanInterval(), () -> sweep(FIRST));
        }
    }

    /** Runs a look in the executor, never twice at a time; requests in between become one. */
    private final class Looker {
        private final LongSupplier look;
        private boolean wanted;
        private boolean busy;

        Looker(LongSupplier look) {
            this.look = look;
        }

        void request() {
            synchronized (this) {
                wanted = true;
                if (busy) {
                    return;
                }
                busy = true;
            }
            operations.ports().executor().execute(this::run);
        }

        private void run() {
            synchronized (this) {
                wanted = false;
            }
            long looked = looked();
            long pause = looked * PAUSE_NANOS_PER_VOLUME;
            if (looked > FEW) {
                var unused = operations.ports().timer().schedule(Duration.ofNanos(pause), this::again);
            } else {
                again();
            }
        }

        /** What a look that failed has missed is found by the next scan. */
        private long looked() {
            try {
                return term.over() ? 0 : look.getAsLong();
            } catch (RuntimeException e) {
                FailureLog.warn("A look at what changed failed; the next scan finds it", e);
                return 0;
            }
        }

        private void again() {
            synchronized (this) {
                busy = wanted;
                if (!busy) {
                    return;
                }
            }
            operations.ports().executor().execute(this::run);
        }
    }
}
