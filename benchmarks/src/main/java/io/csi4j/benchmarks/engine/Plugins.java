package io.csi4j.benchmarks.engine;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.InstantGateway;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Plugins that answer at once, on a separate thread, after a delay, or never. */
final class Plugins extends InstantGateway {
    private final ScheduledExecutorService timer;
    private final Duration delay;
    /** The executor that answers calls; null: the calling thread answers. */
    private final @Nullable Executor answerThread;

    private final Set<PluginId> hanging = ConcurrentHashMap.newKeySet();
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger maxInFlight = new AtomicInteger();

    Plugins(ScheduledExecutorService timer, Duration delay, @Nullable Executor answerThread) {
        this.answerThread = answerThread;
        this.timer = timer;
        this.delay = delay;
    }

    void hang(PluginId plugin) {
        hanging.add(plugin);
    }

    @Override
    protected boolean createsVolumes() {
        return true;
    }

    @Override
    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
        if (hanging.contains(plugin)) {
            return new CompletableFuture<>();
        }
        if (delay.isZero()) {
            return answerThread == null
                    ? CompletableFuture.completedFuture(response)
                    : CompletableFuture.supplyAsync(() -> response, answerThread);
        }
        maxInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        CompletableFuture<R> answer = new CompletableFuture<>();
        var unused = timer.schedule(
                () -> {
                    inFlight.decrementAndGet();
                    answer.complete(response);
                },
                delay.toNanos(),
                TimeUnit.NANOSECONDS);
        return answer;
    }
}
