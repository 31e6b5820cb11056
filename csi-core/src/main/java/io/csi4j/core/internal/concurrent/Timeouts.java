package io.csi4j.core.internal.concurrent;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Deadlines of futures. Safe for use by many threads. */
public final class Timeouts {
    private final Timer timer;
    private final Executor executor;

    /**
     * Creates timeouts.
     *
     * @param timer measures the time
     * @param executor where a future fails at its deadline
     */
    public Timeouts(Timer timer, Executor executor) {
        this.timer = Objects.requireNonNull(timer, "timer");
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    /**
     * Limits the time until a future ends. The other future is not cancelled: its later end is ignored.
     *
     * @param <T> the result
     * @param future any future
     * @param timeout how long it may take from now
     * @param error the failure at the deadline
     * @return ends as the future if that ends in time; when it ends, the timer has no task of it any more. Fails at once
     *     if the timer rejects the task
     */
    public <T extends @Nullable Object> CompletableFuture<T> limit(
            CompletableFuture<T> future, Duration timeout, Supplier<? extends Throwable> error) {
        if (future.isDone()) {
            return future;
        }
        CompletableFuture<T> limited = new CompletableFuture<>();
        Cancellable deadline;
        try {
            deadline = timer.schedule(timeout, () -> expire(limited, error));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
        // First: the timer task is cancelled before a callback of the result runs.
        var unused = future.whenComplete((value, failure) -> {
            deadline.cancel();
            Futures.complete(limited, value, failure);
        });
        var unusedToo = limited.whenComplete((value, failure) -> deadline.cancel());
        return limited;
    }

    private void expire(CompletableFuture<?> limited, Supplier<? extends Throwable> error) {
        try {
            executor.execute(() -> limited.completeExceptionally(error.get()));
        } catch (RejectedExecutionException e) {
            limited.completeExceptionally(error.get());
        }
    }
}
