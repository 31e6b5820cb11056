package io.csi4j.core.internal.concurrent;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sets deadlines for futures: a future that has not ended at its deadline fails. Thread-safe. */
public final class Timeouts {
    private final Timer timer;
    private final Executor executor;

    /**
     * Creates timeouts.
     *
     * @param timer measures the time
     * @param executor the executor in which a future fails at its deadline
     */
    public Timeouts(Timer timer, Executor executor) {
        this.timer = Objects.requireNonNull(timer, "timer");
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    /**
     * Returns a future that ends in the same way as another one, or fails if the other one has not ended by a deadline.
     * At the deadline the other future is not cancelled, and its later end is ignored.
     *
     * @param <T> the type of the result
     * @param future any future
     * @param timeout the time from now to the deadline
     * @param error creates the failure at the deadline
     * @return the future with the deadline. When it ends, the timer's task for it is cancelled. Fails at once if the
     *     timer rejects the task
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
        // Cancels the timer's task before the returned future is completed, so that the task is already cancelled when
        // the callbacks of the returned future run.
        var unused = future.whenComplete((value, failure) -> {
            deadline.cancel();
            Futures.complete(limited, value, failure);
        });
        var unusedToo = limited.whenComplete((value, failure) -> deadline.cancel());
        return limited;
    }

    /**
     * Returns a future that ends in the same way as another one. If the other one has not ended by a deadline,
     * {@code late} completes the returned future. When the returned future ends, the other one is cancelled.
     *
     * @param <T> the type of the result
     * @param future any future
     * @param timeout the time from now to the deadline
     * @param late completes the future that it gets, in the executor
     */
    public <T> CompletableFuture<T> limitOrCancel(
            CompletableFuture<T> future, Duration timeout, Consumer<CompletableFuture<T>> late) {
        CompletableFuture<T> limited = new CompletableFuture<>();
        Futures.follow(future, limited);
        Cancellable deadline = timer.schedule(timeout, () -> executor.execute(() -> late.accept(limited)));
        var unused = limited.whenComplete((value, failure) -> deadline.cancel());
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
