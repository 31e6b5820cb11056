package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The way into the lanes: closed before the start, and whoever comes while that goes on waits for it. */
final class NodeEntrance {
    private final LaneMap lanes;
    private final NodeEnd end;
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> started = new AtomicReference<>();
    /** Who came before the start was over, in order; what depends on a future comes in none. Its own lock. */
    private final Deque<Runnable> early = new ArrayDeque<>();

    /** Done when they are in, so that nobody who waits for it is before them, and nothing is left of the start. */
    private final CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();

    private volatile boolean open;

    NodeEntrance(LaneMap lanes, NodeEnd end) {
        this.lanes = lanes;
        this.end = end;
    }

    /** The one start, to be completed by who begins it. */
    CompletableFuture<@Nullable Void> start() {
        CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
        if (!started.compareAndSet(null, begun)) {
            throw new IllegalStateException("these node volumes were started already; start them once");
        }
        Ends.of(begun, (nothing, error) -> {
            letIn();
            if (error != null) {
                ready.completeExceptionally(error);
            }
        });
        return begun;
    }

    /** The start has succeeded, and has done what it does. Whoever is told may block. */
    void tellReady() {
        ready.complete(null);
    }

    private void letIn() {
        for (Runnable first = firstOrOpen(); first != null; first = firstOrOpen()) {
            first.run();
        }
    }

    private @Nullable Runnable firstOrOpen() {
        synchronized (early) {
            Runnable first = early.poll();
            open = first == null;
            return first;
        }
    }

    /** The start; null if there was none. */
    @Nullable CompletableFuture<@Nullable Void> begun() {
        return started.get();
    }

    CompletableFuture<@Nullable Void> ready() {
        CompletableFuture<?> unused = started();
        return ready;
    }

    private CompletableFuture<@Nullable Void> started() {
        CompletableFuture<@Nullable Void> begun = started.get();
        if (begun == null) {
            throw new IllegalStateException("these node volumes were not started; call start() first");
        }
        return begun;
    }

    <T> CompletableFuture<T> inLane(VolumeKey key, Function<VolumeLane, CompletableFuture<T>> work) {
        CompletableFuture<@Nullable Void> begun = started();
        if (!open) {
            synchronized (early) {
                if (!open) {
                    CompletableFuture<T> later = new CompletableFuture<>();
                    early.add(() -> {
                        if (!later.isDone()) {
                            pass(given(begun, key, work), later);
                        }
                    });
                    return later;
                }
            }
        }
        return given(begun, key, work);
    }

    private <T> CompletableFuture<T> given(
            CompletableFuture<@Nullable Void> begun, VolumeKey key, Function<VolumeLane, CompletableFuture<T>> work) {
        if (begun.isCompletedExceptionally()) {
            return begun.thenCompose(
                    nothing -> CompletableFuture.failedFuture(new IllegalStateException("not started")));
        }
        try {
            return lanes.give(key, work).orElseGet(() -> CompletableFuture.failedFuture(NodeEnd.stopped()));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(end.noExecutor(e));
        }
    }

    /** Cancelling the second cancels the first. */
    private static <T> void pass(CompletableFuture<T> from, CompletableFuture<T> to) {
        Ends.of(from, (value, error) -> {
            if (error != null) {
                to.completeExceptionally(Causes.of(error));
            } else {
                to.complete(value);
            }
        });
        Ends.of(to, (value, error) -> {
            if (error != null) {
                from.cancel(false);
            }
        });
    }
}
