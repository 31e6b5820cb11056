package io.csi4j.client.registry;

import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the instances of a node and their health to the servers: each change at once, and a complete report at intervals. Sends a command
 * only after the result of the previous one has arrived. Each command has all instances, because a missing instance counts as stopped;
 * nothing is sent while the registry may have lost instances. An instance that does not answer is reported as unhealthy, with the facts
 * that it reported last.
 */
public final class Fingerprinter implements AutoCloseable {
    private static final Duration RETRY_BASE = Duration.ofSeconds(1);
    private static final Duration RETRY_MAX = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /**
     * The largest sequence number that the first command may have. This number comes from the clock, which may be
     * wrong. The limit leaves room for the larger numbers of later commands.
     */
    private static final long FURTHEST = 1L << 53;

    private final PluginRegistry registry;
    private final FingerprintSink sink;
    private final Duration interval;
    private final RegistryEnvironment environment;
    private final SerialExecutor serial;
    private final Backoff backoff;
    private final Cancellable subscription;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // The following fields are used in the serial executor only.
    private @Nullable List<PluginInstance> acknowledged;
    private @Nullable CompletableFuture<?> inFlight;
    private @Nullable Cancellable timer;
    private int failures;
    /**
     * The sequence number of the last command; the servers reject a command with an old number. After a restart, the
     * numbers begin at the clock's time. If the clock was set back, {@link #raiseOrder} raises the number.
     */
    private long order;

    private boolean due;
    private @Nullable String stopReason;
    private boolean lastReport;
    private boolean closed;

    private Fingerprinter(PluginRegistry registry, FingerprintSink sink, Duration interval) {
        this.registry = registry;
        this.sink = sink;
        this.interval = interval;
        this.environment = registry.environment();
        this.serial = environment.serialExecutor();
        this.backoff = environment.backoff(RETRY_BASE, RETRY_MAX);
        this.order = Math.max(0, Math.min(environment.clock().millis(), FURTHEST));
        this.subscription = registry.subscribe((snapshot, changes) -> execute(this::changed));
    }

    /**
     * Starts reporting.
     *
     * @param registry the instances; the caller closes it after this object
     * @param sink receives the reports
     * @param interval the interval at which reports are sent without a change, before jitter; a few minutes are short enough
     * @return the fingerprinter; the caller closes it
     * @throws IllegalArgumentException if the interval is shorter than a second
     */
    public static Fingerprinter start(PluginRegistry registry, FingerprintSink sink, Duration interval) {
        if (interval.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "Fingerprinter: the interval is " + interval + "; changes are reported at once, so use minutes");
        }
        return new Fingerprinter(
                Objects.requireNonNull(registry, "registry"), Objects.requireNonNull(sink, "sink"), interval);
    }

    /** Sends a complete report soon, for example because the sink is now connected to another server. */
    public void reportLater() {
        execute(this::reportAll);
    }

    private void reportAll() {
        due = true;
        send();
    }

    /** Runs a task. If the environment rejects it, reporting ends; no caller waits for this task. */
    private void execute(Runnable task) {
        environment.execute(serial, task, () -> {});
    }

    private void changed() {
        // Sends at once only if the last report did not fail; after a failure, newer reports wait for the backoff, too.
        if (failures == 0) {
            send();
        }
    }

    private void send() {
        RegistrySnapshot snapshot = registry.snapshot();
        if (closed || inFlight != null || !snapshot.complete()) {
            return;
        }
        Instant now = environment.clock().instant();
        String reason = stopReason;
        List<PluginInstance> reported = snapshot.instances().stream()
                .map(each -> reason == null ? FingerprintMapper.of(each) : FingerprintMapper.last(each, reason))
                .toList();
        if (!due && reported.equals(acknowledged)) {
            return;
        }
        due = false;
        List<PluginInstance> stamped = reported.stream()
                .map(each -> each.toBuilder().updatedAt(now).build())
                .toList();
        lastReport = reason != null;
        order++;
        send(new NodeFingerprint(snapshot.nodeId(), stamped, order, now), reported);
    }

    private void send(NodeFingerprint report, List<PluginInstance> reported) {
        CompletableFuture<Object> answer = Futures.start(() -> sink.send(report).thenApply(done -> report));
        inFlight = answer;
        var unused = environment
                .timeouts()
                .limit(answer, PATIENCE, () -> new IllegalStateException("no answer in " + Durations.text(PATIENCE)))
                .whenComplete((done, failure) -> environment.execute(
                        serial,
                        () -> answered(reported, failure == null ? null : Futures.unwrap(failure)),
                        this::rejectedByExecutor));
    }

    private void answered(List<PluginInstance> reported, @Nullable Throwable failure) {
        inFlight = null;
        if (failure == null) {
            failures = 0;
            acknowledged = reported;
            again(Duration.ofNanos(environment.moment().around(interval)
                    - environment.elapsed().nanos()));
        } else {
            failures = Math.min(failures + 1, 30);
            raiseOrder(failure);
            again(backoff.after(failures));
        }
        if (lastReport) {
            end(failure);
        } else if (failure == null || stopReason != null) {
            due |= stopReason != null;
            send();
        }
    }

    /**
     * Raises the sequence number if the servers rejected a command as outdated. This happens if an earlier run of this
     * host sent higher numbers, for example because its clock was wrong.
     */
    private void raiseOrder(Throwable failure) {
        if (failure instanceof RejectedException refused
                && refused.reason() instanceof Rejection.FingerprintOutdated outdated
                && outdated.newest() < NodeFingerprint.MAX_ORDER) {
            order = Math.max(order, outdated.newest());
        }
    }

    /** Schedules the next report after a delay. */
    private void again(Duration wait) {
        if (timer != null) {
            timer.cancel();
        }
        timer = environment.schedule(wait, () -> execute(this::reportAll), () -> {});
    }

    /**
     * Reports once that all instances are unhealthy, because the host stops supervising them. No further report follows.
     *
     * @param reason the cause, for operators
     * @return completes when the report was applied; exceptionally if it could not be sent
     */
    public CompletableFuture<Void> reportShutdown(String reason) {
        Objects.requireNonNull(reason, "reason");
        environment.execute(
                serial,
                () -> {
                    stopReason = reason;
                    if (closed || !registry.snapshot().complete()) {
                        end(null);
                    } else if (inFlight == null) {
                        due = true;
                        send();
                    }
                },
                this::rejectedByExecutor);
        return ended.copy();
    }

    /** Ends reporting because the environment rejected a task: a command could not be sent, or its result could not be handled. */
    private void rejectedByExecutor() {
        end(new IllegalStateException("the report of the plugins of node "
                + registry.snapshot().nodeId()
                + " was not: the plugin registry is closed, or its environment rejects tasks; close them after this"));
    }

    private void end(@Nullable Throwable failure) {
        stop();
        environment.complete(() -> {
            if (failure == null) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(failure);
            }
        });
    }

    private void stop() {
        closed = true;
        subscription.cancel();
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Stops reporting. A command in flight continues. Further calls have no effect. */
    @Override
    public void close() {
        Runnable closing = () -> {
            if (!closed) {
                end(null);
            }
        };
        environment.execute(serial, closing, closing);
    }
}
