package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
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
        return begun;
    }

    /** The start; null if there was none. */
    @Nullable CompletableFuture<@Nullable Void> begun() {
        return started.get();
    }

    CompletableFuture<@Nullable Void> ready() {
        CompletableFuture<@Nullable Void> begun = started.get();
        if (begun == null) {
            throw new IllegalStateException("these node volumes were not started; call start() first");
        }
        return begun;
    }

    <T> CompletableFuture<T> inLane(VolumeKey key, Function<VolumeLane, CompletableFuture<T>> work) {
        CompletableFuture<@Nullable Void> ready = ready();
        if (!ready.isDone()) {
            CompletableFuture<T> later = new CompletableFuture<>();
            Ends.of(ready, (nothing, error) -> {
                if (error != null) {
                    later.completeExceptionally(Causes.of(error));
                } else if (!later.isDone()) {
                    pass(inLane(key, work), later);
                }
            });
            return later;
        }
        if (ready.isCompletedExceptionally()) {
            return ready.thenCompose(
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
