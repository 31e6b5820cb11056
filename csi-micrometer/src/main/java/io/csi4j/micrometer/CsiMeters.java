package io.csi4j.micrometer;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.internal.log.FailureName;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.lifecycle.health.UnfinishedReleases;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.StateReader;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one engine and its log in a registry of the host. The engine's events feed counters and timers; gauges show
 * figures of the state, the queues and the log. The figures are computed at a fixed interval, so a read of the registry returns the last
 * computed figures. The number of meters depends only on the numbers of registered plugins, of quotas and of servers. Thread-safe.
 */
public final class CsiMeters implements AutoCloseable {
    /** The default of the interval at which the figures of the gauges are computed. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

    private static final System.Logger LOGGER = System.getLogger(CsiMeters.class.getName());

    private final MeterRegistry registry;
    private final MeterFactory meters;
    private final KnownPlugins plugins;
    private final EngineEvents events;
    private final Counter failures;
    private final AtomicInteger unanswered = new AtomicInteger();
    private final Object lock = new Object();
    private @Nullable Observation observation;
    private @Nullable LogObservation logObservation;
    private boolean closed;

    private CsiMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.meters = new MeterFactory(registry);
        this.plugins = new KnownPlugins(registry);
        this.events = new EngineEvents(meters, plugins);
        this.failures = meters.counter(CsiMeter.READ_FAILURES);
    }

    /**
     * Creates meters in a registry. If a process has several engines, give each engine its own registry with a common
     * tag that identifies the engine.
     *
     * @param registry the host's registry
     */
    public static CsiMeters of(MeterRegistry registry) {
        return new CsiMeters(registry);
    }

    /** Returns the listener for {@link io.csi4j.core.lifecycle.VolumeLifecycleBuilder#listener}. It never blocks. */
    public EventListener listener() {
        return events;
    }

    /**
     * Returns a log that passes each command on to the host's log, and measures the time until the host's log answers.
     *
     * @param log the host's log
     */
    public CommandLog timed(CommandLog log) {
        Objects.requireNonNull(log, "log");
        meters.gauge(CsiMeter.LOG_WAITING, unanswered::get);
        return new TimedLog(log, meters, registry.config().clock(), unanswered);
    }

    /**
     * Begins to show the engine's state in the gauges, which are updated at the default interval.
     *
     * @param lifecycle the engine, for a caller with the permissions to manage the cluster and to read all volumes and
     *     plugins
     * @param environment the clock, the timer and the executor
     * @throws IllegalStateException if these meters show an engine already, or are closed
     */
    public void observe(VolumeLifecycle lifecycle, Environment environment) {
        observe(lifecycle, environment, DEFAULT_INTERVAL);
    }

    /**
     * Begins to show the engine's state.
     *
     * @param lifecycle the engine, for a caller with the permissions to manage the cluster and to read all volumes and
     *     plugins
     * @param environment the clock, the timer and the executor
     * @param interval the time between two reads of the gauges, above zero
     * @throws IllegalArgumentException if the interval is not above zero
     * @throws IllegalStateException if these meters show an engine already, or are closed
     */
    public void observe(VolumeLifecycle lifecycle, Environment environment, Duration interval) {
        checkInterval(interval);
        EngineObservation begun;
        synchronized (lock) {
            if (closed || observation != null) {
                throw new IllegalStateException("CsiMeters: " + (closed ? "closed" : "an engine is observed already")
                        + "; create another object for another engine");
            }
            begun = new EngineObservation(lifecycle, environment, interval);
            observation = begun;
        }
        environment.executor().execute(begun::read);
    }

    /**
     * Begins to show a log, beside its engine or without one, in the gauges of logs, which are updated at the default
     * interval.
     *
     * @param log the log of the server, for example {@code CsiServer.log()}
     * @param environment the timer and the executor
     * @throws IllegalStateException if these meters show a log already, or are closed
     */
    public void observe(ReplicatedLog log, Environment environment) {
        observe(log, environment, DEFAULT_INTERVAL);
    }

    /**
     * Begins to show a log.
     *
     * @param log the log of the server, for example {@code CsiServer.log()}
     * @param environment the timer and the executor
     * @param interval the time between two reads of {@link ReplicatedLog#status}, which does not block; above zero
     * @throws IllegalArgumentException if the interval is not above zero
     * @throws IllegalStateException if these meters show a log already, or are closed
     */
    public void observe(ReplicatedLog log, Environment environment, Duration interval) {
        Objects.requireNonNull(log, "log");
        checkInterval(interval);
        LogObservation begun;
        synchronized (lock) {
            if (closed || logObservation != null) {
                throw new IllegalStateException("CsiMeters: " + (closed ? "closed" : "a log is observed already")
                        + "; create another object for another log");
            }
            begun = new LogObservation(log, environment, interval);
            logObservation = begun;
        }
        begun.again();
    }

    private static void checkInterval(Duration interval) {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("CsiMeters: interval is " + interval + "; use more than zero");
        }
    }

    /** Ends the updates of the gauges, and removes all meters from the registry. Further calls have no effect. */
    @Override
    public void close() {
        Observation last;
        LogObservation lastOfLog;
        synchronized (lock) {
            closed = true;
            last = observation;
            observation = null;
            lastOfLog = logObservation;
            logObservation = null;
        }
        if (last != null) {
            last.close();
        }
        if (lastOfLog != null) {
            lastOfLog.close();
        }
        plugins.close();
        meters.removeAll();
    }

    private void failed(CauseLog causes, Throwable failure) {
        failures.increment();
        String reason = FailureName.of(failure);
        causes.warn(
                reason,
                "The gauges of csi4j could not be read (" + reason + "); they keep their values until the"
                        + " next reading. Look at the health of this server");
    }

    /** Updates gauges at an interval, until it is closed. */
    private abstract static class Observation {
        final CauseLog causes;
        final Environment environment;
        private final Duration interval;
        private Cancellable next = () -> {};
        // Guarded by the monitor of this object.
        boolean ended;

        Observation(Environment environment, Duration interval) {
            this.environment = environment;
            this.interval = interval;
            this.causes = new CauseLog(LOGGER, environment.clock());
        }

        /** Updates the gauges, and then calls {@link #again}. */
        abstract void read();

        /** Removes the gauges. */
        abstract void removeGauges();

        final synchronized void again() {
            if (!ended) {
                next = environment
                        .timer()
                        .schedule(interval, () -> environment.executor().execute(this::read));
            }
        }

        final synchronized void close() {
            ended = true;
            next.cancel();
            removeGauges();
        }
    }

    /** Updates the gauges of a log. */
    private final class LogObservation extends Observation {
        private final LogMeters gauges;

        LogObservation(ReplicatedLog log, Environment environment, Duration interval) {
            super(environment, interval);
            this.gauges = new LogMeters(registry, log);
        }

        @Override
        synchronized void read() {
            if (ended) {
                return;
            }
            try {
                gauges.read();
                causes.overAll();
            } catch (RuntimeException | Error e) {
                failed(causes, e);
            }
            again();
        }

        @Override
        void removeGauges() {
            gauges.close();
        }
    }

    /** Updates the gauges of one engine. */
    private final class EngineObservation extends Observation {
        private final VolumeLifecycle lifecycle;
        private final StateGauges gauges;
        private final UnfinishedReleases releases = new UnfinishedReleases();

        EngineObservation(VolumeLifecycle lifecycle, Environment environment, Duration interval) {
            super(environment, interval);
            this.lifecycle = lifecycle;
            plugins.state(lifecycle.log().state());
            this.gauges = new StateGauges(registry, lifecycle);
        }

        @Override
        void read() {
            CompletableFuture<Figures> figures;
            try {
                figures = figures();
            } catch (RuntimeException | Error e) {
                figures = CompletableFuture.failedFuture(e);
            }
            var unused = figures.whenComplete((now, failure) -> {
                if (failure == null) {
                    causes.overAll();
                    show(now);
                } else {
                    failed(causes, Futures.unwrap(failure));
                }
                again();
            });
        }

        private CompletableFuture<Figures> figures() {
            Instant now = environment.clock().instant();
            Figures figures = new Figures();
            StateReader state = lifecycle.log().state().snapshot();
            figures.state(state);
            // The ages of releases are measured on elapsed time, because the clock may be set.
            Instant elapsed = Instant.EPOCH.plusNanos(environment.timer().nanoTime());
            figures.releases(releases.update(state, elapsed), elapsed);
            return lifecycle
                    .operator()
                    .plugins(PluginQuery.all())
                    .thenCombine(lifecycle.operator().calls(CallQuery.all()), (views, calls) -> {
                        figures.plugins(views.items());
                        figures.calls(calls.items(), now);
                        return figures;
                    })
                    .thenCombine(lifecycle.operator().nodes(NodeQuery.all()), (same, nodes) -> {
                        figures.nodes(nodes.items());
                        return figures;
                    })
                    .thenCombine(lifecycle.claims().waiting(WaitingQuery.all()), (same, claims) -> {
                        figures.claims(claims.items(), now);
                        return figures;
                    });
        }

        private synchronized void show(Figures now) {
            if (!ended) {
                gauges.show(now);
                plugins.retain(now.plugins.keySet());
            }
        }

        @Override
        void removeGauges() {
            gauges.close();
        }
    }
}
