package io.csi4j.registry;

import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.registry.internal.connection.RegistryEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the instances of a node and their health to the servers: changes at once, everything now and then. Waits for the
 * answer before it sends the next command. Each command has all instances, because a missing one counts as stopped: so
 * nothing is sent while the registry may have lost some. An instance that does not answer is sent as unhealthy, with the
 * facts that it told last.
 */
public final class Fingerprinter implements AutoCloseable {
    private static final Duration RETRY_BASE = Duration.ofSeconds(1);
    private static final Duration RETRY_MOST = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** As far as a clock may put the first one; what is counted from there stays in its bounds for ever. */
    private static final long FURTHEST = 1L << 53;

    private final PluginRegistry registry;
    private final FingerprintSink sink;
    private final Duration interval;
    private final RegistryEnvironment environment;
    private final SerialExecutor serial;
    private final Backoff backoff;
    private final Cancellable subscription;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // From here on in the serial executor only.
    private @Nullable List<PluginInstance> acknowledged;
    private @Nullable CompletableFuture<?> underWay;
    private @Nullable Cancellable timer;
    private int failures;
    /** Of the last command. Another run of the host begins higher, unless its clock was put back: see {@link #above}. */
    private long order;

    private boolean due;
    private @Nullable String farewell;
    private boolean lastWords;
    private boolean closed;

    private Fingerprinter(PluginRegistry registry, FingerprintSink sink, Duration interval) {
        this.registry = registry;
        this.sink = sink;
        this.interval = interval;
        this.environment = registry.environment();
        this.serial = environment.serialExecutor();
        this.backoff = environment.backoff(RETRY_BASE, RETRY_MOST);
        this.order = Math.max(0, Math.min(environment.clock().millis(), FURTHEST));
        this.subscription = registry.subscribe((picture, changes) -> execute(this::changed));
    }

    /**
     * Begins to tell.
     *
     * @param registry the instances; the caller closes it, after this
     * @param sink takes what is told
     * @param interval how often the same is told again, before jitter; minutes are enough
     * @return the fingerprinter; the caller closes it
     * @throws IllegalArgumentException if the interval is shorter than a second
     */
    public static Fingerprinter start(PluginRegistry registry, FingerprintSink sink, Duration interval) {
        if (interval.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException(
                    "Fingerprinter: the interval is " + interval + "; changes are told at once, so use minutes");
        }
        return new Fingerprinter(
                Objects.requireNonNull(registry, "registry"), Objects.requireNonNull(sink, "sink"), interval);
    }

    /**
     * Tells all of it again soon, changed or not: whoever is told now may not be whoever was told before.
     */
    public void tellAgain() {
        execute(this::tellAll);
    }

    private void tellAll() {
        due = true;
        tell();
    }

    /** Runs a task unless the environment rejects it: then nothing is sent any more, and no caller waits for this task. */
    private void execute(Runnable task) {
        environment.execute(serial, task, () -> {});
    }

    private void changed() {
        // While something failed, the pause before the next attempt holds for newer words too.
        if (failures == 0) {
            tell();
        }
    }

    private void tell() {
        RegistrySnapshot picture = registry.picture();
        if (closed || underWay != null || !picture.complete()) {
            return;
        }
        Instant now = environment.clock().instant();
        String goodbye = farewell;
        List<PluginInstance> words = picture.instances().stream()
                .map(each -> goodbye == null ? FingerprintMapper.of(each) : FingerprintMapper.last(each, goodbye))
                .toList();
        if (!due && words.equals(acknowledged)) {
            return;
        }
        due = false;
        List<PluginInstance> stamped = words.stream()
                .map(each -> each.toBuilder().updatedAt(now).build())
                .toList();
        lastWords = goodbye != null;
        order++;
        send(new PluginCommand.FingerprintNode(picture.nodeId(), stamped, order, now), words);
    }

    private void send(PluginCommand.FingerprintNode command, List<PluginInstance> words) {
        CompletableFuture<Object> answer =
                Futures.start(() -> sink.send(command).thenApply(done -> command));
        underWay = answer;
        var unused = environment
                .timeouts()
                .limit(answer, PATIENCE, () -> new IllegalStateException("no answer in " + PATIENCE))
                .whenComplete((done, failure) -> environment.execute(
                        serial,
                        () -> answered(words, failure == null ? null : Futures.unwrap(failure)),
                        this::unheard));
    }

    private void answered(List<PluginInstance> words, @Nullable Throwable failure) {
        underWay = null;
        if (failure == null) {
            failures = 0;
            acknowledged = words;
            again(Duration.ofNanos(environment.moment().around(interval)
                    - environment.elapsed().nanos()));
        } else {
            failures = Math.min(failures + 1, 30);
            above(failure);
            again(backoff.after(failures));
        }
        if (lastWords) {
            end(failure);
        } else if (failure == null || farewell != null) {
            due |= farewell != null;
            tell();
        }
    }

    /** The clock was wrong, or is: whoever has heard newer things of this node has heard them of an earlier run. */
    private void above(Throwable failure) {
        if (failure instanceof RejectedException refused
                && refused.reason() instanceof Rejection.FingerprintOutdated outdated
                && outdated.newest() < PluginCommand.FingerprintNode.MAX_ORDER) {
            order = Math.max(order, outdated.newest());
        }
    }

    /** Tells again after a while, changed or not. */
    private void again(Duration wait) {
        if (timer != null) {
            timer.cancel();
        }
        timer = environment.schedule(wait, () -> execute(this::tellAll), () -> {});
    }

    /**
     * Tells once that all instances are unhealthy, because the host is about to stop looking after them, and then no
     * more.
     *
     * @param reason why, for an operator
     * @return completes when that was told; exceptionally if it could not be
     */
    public CompletableFuture<Void> sayGoodbye(String reason) {
        Objects.requireNonNull(reason, "reason");
        environment.execute(
                serial,
                () -> {
                    farewell = reason;
                    if (closed || !registry.picture().complete()) {
                        end(null);
                    } else if (underWay == null) {
                        due = true;
                        tell();
                    }
                },
                this::unheard);
        return ended.copy();
    }

    /** The environment rejects tasks, so the last command is not sent, or its answer is not handled. */
    private void unheard() {
        end(new IllegalStateException("what was to be told of the plugins of node "
                + registry.picture().nodeId()
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

    /** Tells no more, not even that. What is under way goes on. Does nothing the second time. */
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
