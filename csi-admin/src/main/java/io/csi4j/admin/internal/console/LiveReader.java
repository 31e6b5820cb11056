package io.csi4j.admin.internal.console;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values for the pages from the engine, at most once a second, however many pages are requested. Counts the
 * volumes, claims and nodes at most every five seconds. Blocks only threads of the console.
 */
final class LiveReader {
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration COUNTED = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final int PAGE = 1000;

    private final VolumeLifecycle lifecycle;
    private final ObservableState state;
    private final HealthCheck health;
    private final Environment environment;
    private @Nullable Live last;
    /** The elapsed time at which {@code last} was read. */
    private long lastRead;
    /** The elapsed time at which the totals of {@code last} were counted. */
    private long lastCount;

    LiveReader(VolumeLifecycle lifecycle, HealthCheck health, Environment environment) {
        this.lifecycle = lifecycle;
        this.state = lifecycle.log().state();
        this.health = health;
        this.environment = environment;
    }

    VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    /** Returns the current state, without waiting for the engine. */
    StateReader state() {
        return state.snapshot();
    }

    /** Returns the index of the current state, without waiting for the engine. */
    long index() {
        return state.snapshot().index();
    }

    /** Returns the time of the console's clock. */
    Instant now() {
        return environment.clock().instant();
    }

    ServerHealth health() {
        return joined(health.run());
    }

    synchronized Live read() {
        Instant now = environment.clock().instant();
        long nanos = environment.timer().nanoTime();
        Live before = last;
        if (before != null && nanos - lastRead < FRESH.toNanos()) {
            return before;
        }
        StateReader snapshot = state.snapshot();
        Live.Totals totals;
        if (before != null && nanos - lastCount < COUNTED.toNanos()) {
            totals = before.totals();
        } else {
            totals = totals(snapshot, now);
            lastCount = nanos;
        }
        Live live = new Live(
                snapshot,
                totals,
                joined(lifecycle.operator().plugins(PluginQuery.all())).items(),
                joined(lifecycle.claims().waiting(WaitingQuery.all())).items(),
                joined(lifecycle.operator().calls(CallQuery.all())).items(),
                joined(lifecycle.operator().nodes(NodeQuery.all())).items().stream()
                        .collect(Collectors.toMap(view -> view.node().id(), view -> view)),
                joined(health.run()),
                now);
        last = live;
        lastRead = nanos;
        return live;
    }

    private static Live.Totals totals(StateReader state, Instant now) {
        int volumes = 0;
        int claims = 0;
        int unsettled = 0;
        Optional<VolumeKey> after = Optional.empty();
        do {
            ListPage<Volume, VolumeKey> page = state.volumes(
                    VolumeQuery.builder().after(after.orElse(null)).limit(PAGE).build());
            for (Volume volume : page.items()) {
                volumes++;
                claims += volume.claims().size();
                unsettled += volume.unsettled() ? 1 : 0;
            }
            after = page.next();
        } while (after.isPresent());
        int nodes = 0;
        int ready = 0;
        for (Node node : state.nodes()) {
            nodes++;
            ready += node.status() == NodeStatus.READY ? 1 : 0;
        }
        return new Live.Totals(volumes, claims, unsettled, nodes, ready, now);
    }

    /** Waits for an answer of the engine, but not longer than the time limit. */
    static <R> R joined(CompletableFuture<R> answer) {
        try {
            return answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CsiException("the engine did not answer the console: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new CsiException("the engine did not answer the console within " + Words.duration(LIMIT), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CsiException("the console is being closed", e);
        }
    }
}
