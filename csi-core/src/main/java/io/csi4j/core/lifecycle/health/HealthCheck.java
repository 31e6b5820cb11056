package io.csi4j.core.lifecycle.health;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.ReplicatedLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a server can do its work. A check submits one command without effect to the log, and reads the state, the
 * waiting claims and the calls of the engine. Thread-safe.
 *
 * <p>The caller of the engine needs {@link io.csi4j.core.spi.Permission#MANAGEMENT} and the permissions to read plugins and
 * volumes; the host's own engine has them.
 */
public final class HealthCheck {
    /**
     * The key of a volume that does not exist. The check submits a command about it, which the state rejects without
     * any change.
     */
    private static final VolumeKey PROBE = VolumeKey.of("csi4j.health", "probe");

    private static final Duration LATELY = Duration.ofMinutes(10);
    /** The latency from which a log is slow, if two checks in a row find it. */
    private static final Duration SLOW = Duration.ofSeconds(1);
    /** The number of beginnings of leadership within that time that is too much. */
    private static final int UNSTEADY = 3;

    private final VolumeLifecycle lifecycle;
    private final CommandLog log;
    private final Environment environment;
    private final Timeouts timeouts;
    private final Supplier<Optional<String>> leader;
    private final Supplier<Optional<LogDetails.Trouble>> trouble;
    private final Duration logTimeout;
    private final Duration reuse;
    private final HealthFindings findings;
    /** The elapsed time at which the last check began; null before the first check. */
    private @Nullable Long started;
    /** The latency of the log at the last check, if it was slow. */
    private @Nullable Duration slowBefore;

    private CompletableFuture<ServerHealth> last = new CompletableFuture<>();

    private HealthCheck(Builder builder) {
        this.lifecycle = builder.lifecycle;
        this.log = builder.lifecycle.log();
        this.environment = builder.environment;
        this.timeouts = new Timeouts(environment.timer(), environment.executor());
        this.leader = builder.leader;
        this.trouble = builder.trouble;
        this.logTimeout = builder.logTimeout;
        this.reuse = builder.reuse;
        this.findings = new HealthFindings(
                lifecycle,
                builder.releaseLimit,
                builder.claimLimit,
                builder.callLimit,
                new NodeFindings(builder.nodeLimit, builder.pluginsOfNode));
    }

    /**
     * Creates a check with defaults, for a server that is alone and so always leads.
     *
     * @param lifecycle the engine of the server
     * @param environment the clock, the timer and the executor of the check
     */
    public static HealthCheck of(VolumeLifecycle lifecycle, Environment environment) {
        return builder(lifecycle, environment).build();
    }

    /**
     * Returns a builder.
     *
     * @param lifecycle the engine of the server
     * @param environment the clock, the timer and the executor of the check
     */
    public static Builder builder(VolumeLifecycle lifecycle, Environment environment) {
        return new Builder(lifecycle, environment);
    }

    /**
     * Checks the server, or returns the result of a recent check. {@link Builder#reuse} sets how long a result is
     * reused.
     *
     * @return the result. It contains each problem of the server as a {@link HealthProblem}; such a problem does not
     *     make the future fail
     */
    public CompletableFuture<ServerHealth> run() {
        CompletableFuture<ServerHealth> next;
        synchronized (this) {
            long now = environment.timer().nanoTime();
            if (started != null && now - started < reuse.toNanos()) {
                return last.copy();
            }
            started = now;
            next = new CompletableFuture<>();
            last = next;
        }
        begin(next);
        return next.copy();
    }

    private void begin(CompletableFuture<ServerHealth> result) {
        long sent = environment.timer().nanoTime();
        HealthReport report = new HealthReport();
        var unused = probe().handleAsync((outcome, failure) -> answered(report, sent, failure), environment.executor())
                .thenCompose(this::found)
                .whenComplete((same, failure) -> Futures.complete(result, report.build(), failure));
    }

    private CompletableFuture<Outcome> probe() {
        var command = new VolumeCommand.MarkForGc(PROBE, environment.clock().instant());
        return timeouts.limit(
                Futures.start(() -> log.submit(command)), logTimeout, () -> new SilentLogException(logTimeout));
    }

    private HealthReport answered(HealthReport report, long sent, @Nullable Throwable failure) {
        report.at = environment.clock().instant();
        if (failure == null) {
            Duration latency = Duration.ofNanos(environment.timer().nanoTime() - sent);
            report.logLatency = Optional.of(latency);
            slow(report, latency);
        } else {
            log(report, Futures.unwrap(failure));
        }
        report.leading = lifecycle.isLeading();
        report.leader = leader.get();
        if (!report.leading && report.leader.isEmpty()) {
            report.add(
                    HealthProblem.Kind.NO_LEADER,
                    "this server does not lead, and it knows no leader",
                    "Check that most servers run and reach each other; a server that is alone has to start to lead.");
        }
        unsteady(report);
        trouble.get()
                .ifPresent(found -> report.add(
                        HealthProblem.Kind.LOG_TROUBLE,
                        found.message() + " (for " + found.age().toSeconds() + " s)",
                        found.remedy()));
        return report;
    }

    private synchronized void slow(HealthReport report, Duration latency) {
        boolean slow = latency.compareTo(SLOW) > 0;
        if (slow && slowBefore != null) {
            report.add(
                    HealthProblem.Kind.LOG_SLOW,
                    "the log answered the last two checks only after " + slowBefore.toMillis() + " ms and "
                            + latency.toMillis() + " ms, and claims and releases wait as long",
                    "Look at the disks, the load and the network of the servers, or at the database of the log.");
        }
        slowBefore = slow ? latency : null;
    }

    private void unsteady(HealthReport report) {
        List<Instant> lately = lifecycle.leaderships().stream()
                .filter(start -> start.isAfter(report.at.minus(LATELY)))
                .toList();
        if (lately.size() >= UNSTEADY) {
            report.add(
                    HealthProblem.Kind.LEADERSHIP_UNSTEADY,
                    "this server has begun to lead " + lately.size() + " times within " + Durations.text(LATELY)
                            + ", since " + lately.get(0) + ", the last time at " + lately.get(lately.size() - 1),
                    "Look for pauses of its process, a busy processor or disk, and the network between the servers; its"
                            + " log has a line for each change.");
        }
    }

    private CompletableFuture<HealthReport> found(HealthReport report) {
        return Futures.start(() ->
                        findings.collect(report, report.at, environment.timer().nanoTime()))
                .exceptionally(failure -> {
                    report.add(
                            HealthProblem.Kind.STATE_UNREADABLE,
                            "the state or the engine cannot be read: "
                                    + Futures.unwrap(failure).getMessage(),
                            "Check that the store is open, and that the engine's caller may manage the cluster.");
                    return report;
                });
    }

    private void log(HealthReport report, Throwable failure) {
        if (failure instanceof SilentLogException) {
            report.add(
                    HealthProblem.Kind.LOG_SILENT,
                    "the log did not answer a command within " + Durations.text(logTimeout),
                    "Check the disk and the load of the servers; of a replicated log, most servers have to run.");
        } else {
            report.add(
                    HealthProblem.Kind.LOG_FAILED,
                    "the log failed a command: " + failure.getMessage(),
                    "Read the server's log for the cause; a closed log needs a restart of the server.");
        }
    }

    /** Builds {@link HealthCheck}s. Not thread-safe. */
    public static final class Builder {
        private final VolumeLifecycle lifecycle;
        private final Environment environment;
        private Supplier<Optional<String>> leader = Optional::empty;
        private Supplier<Optional<LogDetails.Trouble>> trouble = Optional::empty;
        private Duration logTimeout = Duration.ofSeconds(5);
        private Duration reuse = Duration.ofSeconds(2);
        private Duration releaseLimit = Duration.ofMinutes(10);
        private Duration claimLimit = Duration.ofMinutes(10);
        private Duration callLimit = Duration.ofMinutes(1);
        private Duration nodeLimit = Duration.ofSeconds(30);
        private Function<NodeId, Set<PluginId>> pluginsOfNode = node -> Set.of();

        private Builder(VolumeLifecycle lifecycle, Environment environment) {
            this.lifecycle = Objects.requireNonNull(lifecycle, "lifecycle");
            this.environment = Objects.requireNonNull(environment, "environment");
        }

        /**
         * Sets the query for the leader of the cluster.
         *
         * @param leader returns the leader's name, or empty if the leader is not known; must not block. If this query
         *     is not set, the leader is unknown on every server that does not lead
         */
        public Builder leader(Supplier<Optional<String>> leader) {
            this.leader = Objects.requireNonNull(leader, "leader");
            return this;
        }

        /**
         * Sets the log of the server, from which the check learns the leader of the cluster and why the storage of the log
         * fails.
         *
         * @param log the log, for example {@code CsiServer.log()}
         */
        public Builder log(ReplicatedLog log) {
            Objects.requireNonNull(log, "log");
            this.leader = () -> log.status().leader();
            this.trouble = () -> log.status().details().trouble();
            return this;
        }

        /**
         * Sets the time within which the log has to answer. Default: 5 seconds.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder logTimeout(Duration logTimeout) {
            this.logTimeout = positive("logTimeout", logTimeout);
            return this;
        }

        /**
         * Sets the time for which the result of a check is reused. Default: 2 seconds.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder reuse(Duration reuse) {
            this.reuse = positive("reuse", reuse);
            return this;
        }

        /**
         * Sets the age from which an unfinished release counts as a problem. Default: 10 minutes.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder releaseLimit(Duration releaseLimit) {
            this.releaseLimit = positive("releaseLimit", releaseLimit);
            return this;
        }

        /**
         * Sets the age from which a waiting claim is a problem. Default: 10 minutes.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder claimLimit(Duration claimLimit) {
            this.claimLimit = positive("claimLimit", claimLimit);
            return this;
        }

        /**
         * Sets the age from which a call that waits for a permit, or for its answer, is a problem. Default: 1 minute.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder callLimit(Duration callLimit) {
            this.callLimit = positive("callLimit", callLimit);
            return this;
        }

        /**
         * Sets the time for which a node may be silent, its mounts and unmounts may be unfinished, and a plugin may be
         * missing on it before this is a problem. Default: 30 seconds.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder nodeLimit(Duration nodeLimit) {
            this.nodeLimit = positive("nodeLimit", nodeLimit);
            return this;
        }

        /**
         * Declares the plugins whose node service should run on each node. A declared plugin that has no healthy
         * instance on a READY node is a problem. Without a declaration, a plugin should run on a node if it was seen
         * there within the last day, or if its volumes are in use there.
         *
         * @param plugins returns the plugins of a node; must not block
         */
        public Builder pluginsOfNode(Function<NodeId, Set<PluginId>> plugins) {
            this.pluginsOfNode = Objects.requireNonNull(plugins, "plugins");
            return this;
        }

        /**
         * Builds the check.
         *
         * @throws io.csi4j.core.spi.AccessDeniedException if the engine's caller does not have {@link
         *     io.csi4j.core.spi.Permission#MANAGEMENT}
         */
        public HealthCheck build() {
            return new HealthCheck(this);
        }

        private static Duration positive(String name, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException("HealthCheck: " + name + " is " + value + "; use more than zero");
            }
            return value;
        }
    }

    /** Reports that the log did not answer in time. */
    private static final class SilentLogException extends CsiException {
        private static final long serialVersionUID = 1L;

        SilentLogException(Duration timeout) {
            super("the log did not answer a command within " + Durations.text(timeout));
        }
    }
}
