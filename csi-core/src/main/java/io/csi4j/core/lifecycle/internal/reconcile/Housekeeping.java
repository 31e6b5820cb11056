package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.operation.PluginOperations;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The periodic tasks of the leader: it removes plugins that are not used, reconciles with the storage providers,
 * and asks the nodes for reports.
 * The next run is scheduled with jitter after the last one has ended, so that many clusters do not call one provider at
 * the same time.
 */
public final class Housekeeping {
    private static final double JITTER = 0.1;

    private final Operations operations;
    private final PluginOperations plugins;
    private final ProviderReconciliation reconciliation;
    private final NodeReports reports;
    private final List<Round<?>> rounds = new ArrayList<>();

    public Housekeeping(
            Operations operations,
            PluginOperations plugins,
            ProviderReconciliation reconciliation,
            NodeReports reports) {
        this.operations = operations;
        this.plugins = plugins;
        this.reconciliation = reconciliation;
        this.reports = reports;
    }

    /** Starts the periodic tasks; has no effect if they have been started. */
    public synchronized void start() {
        if (!rounds.isEmpty()) {
            return;
        }
        LifecycleOptions options = operations.ports().options();
        reports.start();
        rounds.add(new Round<>(
                "removal of unused plugins", options.unusedPluginRemovalInterval(), stopped -> plugins.removeUnused()));
        rounds.add(new Round<>("reconciliation with the providers", options.reconciliationInterval(), this::reconcile));
        rounds.forEach(Round::later);
        if (!options.nodeReportInterval().isZero()) {
            // Asks the nodes at once, so that a new leader soon knows them; then at intervals.
            Round<?> nodes =
                    new Round<>("reports of the nodes", options.nodeReportInterval(), stopped -> reports.askAll());
            rounds.add(nodes);
            operations.ports().executor().execute(nodes::run);
        }
    }

    /** Stops the periodic tasks, and drops the reports. A run in progress ends after its call in flight. */
    public synchronized void stop() {
        rounds.forEach(Round::stop);
        rounds.clear();
        reports.stop();
    }

    /** Reconciles all plugins, one after the other. A failure for one plugin does not stop the others. */
    private CompletableFuture<Void> reconcile(BooleanSupplier stopped) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (PluginId plugin : tellingPlugins()) {
            all = all.thenCompose(before ->
                    stopped.getAsBoolean() ? CompletableFuture.completedFuture(null) : reconcile(plugin, stopped));
        }
        return all;
    }

    private List<PluginId> tellingPlugins() {
        List<PluginId> telling = new ArrayList<>();
        operations.state().facts().forEach(facts -> {
            PluginOffer offer = PluginOffer.of(operations.state(), facts.pluginId());
            if (offer.has(ControllerCapability.LIST_VOLUMES)
                    && offer.has(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES)
                    && offer.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
                telling.add(facts.pluginId());
            }
        });
        return telling;
    }

    private CompletableFuture<Void> reconcile(PluginId plugin, BooleanSupplier stopped) {
        boolean repairs = operations.ports().options().reconciliationRepairs();
        return Futures.start(() -> reconciliation.runPeriodically(plugin, repairs, stopped))
                .handle((drifts, failure) -> {
                    if (failure != null && !stopped.getAsBoolean()) {
                        FailureLog.warn(
                                "Reconciliation with plugin " + plugin + " failed (" + Failures.textToStore(failure)
                                        + "); it is tried again later",
                                failure);
                    }
                    return null;
                });
    }

    /** One periodic task: its interval, its timer, and the work of a run. */
    private final class Round<R extends @Nullable Object> {
        private final String what;
        private final Duration interval;
        private final Function<BooleanSupplier, CompletableFuture<R>> work;
        private @Nullable Cancellable next;
        private boolean ended;

        Round(String what, Duration interval, Function<BooleanSupplier, CompletableFuture<R>> work) {
            this.what = what;
            this.interval = interval;
            this.work = work;
        }

        void later() {
            if (!interval.isZero() && !ended()) {
                double factor = 1 + JITTER * (2 * operations.ports().random().nextDouble() - 1);
                after(Duration.ofMillis(Math.max(1, (long) (interval.toMillis() * factor))));
            }
        }

        private synchronized void after(Duration pause) {
            if (ended) {
                return;
            }
            next = operations
                    .ports()
                    .timer()
                    .schedule(pause, () -> operations.ports().executor().execute(this::run));
        }

        synchronized void stop() {
            ended = true;
            if (next != null) {
                next.cancel();
            }
        }

        private synchronized boolean ended() {
            return ended;
        }

        private void run() {
            if (ended()) {
                return;
            }
            var unused = Futures.start(() -> work.apply(this::ended)).whenComplete((done, failure) -> {
                if (failure != null) {
                    FailureLog.warn("The " + what + " failed; it is tried again later", failure);
                }
                later();
            });
        }
    }
}
