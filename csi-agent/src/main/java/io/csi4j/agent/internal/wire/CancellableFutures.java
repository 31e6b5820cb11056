package io.csi4j.agent.internal.wire;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates futures that depend on other futures, like those of {@code CompletableFuture}, but cancelling a dependent future also cancels the
 * future on which it depends.
 */
public final class CancellableFutures {
    private CancellableFutures() {}

    /** Returns a future with the converted value or failure of another future. */
    public static <A, B> CompletableFuture<B> mapped(
            CompletableFuture<A> from,
            Function<? super A, ? extends B> value,
            Function<? super Throwable, ? extends Throwable> failure) {
        CompletableFuture<B> to = new CompletableFuture<>();
        var unused = from.whenComplete((got, failed) -> {
            if (failed != null) {
                to.completeExceptionally(failure.apply(Futures.unwrap(failed)));
                return;
            }
            try {
                to.complete(value.apply(got));
            } catch (RuntimeException unusable) {
                to.completeExceptionally(unusable);
            }
        });
        return taking(from, to);
    }

    /**
     * Returns a future with the value of another future. If the other future fails, {@code recovery} may return a value
     * in place of the failure.
     */
    public static <A> CompletableFuture<A> recovered(
            CompletableFuture<A> from, Function<? super Throwable, Optional<A>> recovery) {
        CompletableFuture<A> to = new CompletableFuture<>();
        var unused = from.whenComplete((got, failed) -> {
            if (failed == null) {
                to.complete(got);
            } else {
                recovery.apply(Futures.unwrap(failed))
                        .ifPresentOrElse(to::complete, () -> to.completeExceptionally(Futures.unwrap(failed)));
            }
        });
        return taking(from, to);
    }

    /**
     * Returns a future with the result of another future. If the limit passes first, {@code tooLate} completes it, and the other future is
     * cancelled.
     */
    public static <A> CompletableFuture<A> within(
            Duration limit,
            Timer timer,
            Executor executor,
            CompletableFuture<A> from,
            Consumer<CompletableFuture<A>> tooLate) {
        CompletableFuture<A> to = mapped(from, value -> value, failure -> failure);
        Cancellable end = timer.schedule(limit, () -> executor.execute(() -> tooLate.accept(to)));
        var unused = to.whenComplete((value, failure) -> end.cancel());
        return to;
    }

    /**
     * Returns a future with the result of another future. A cancellation is passed to the other future on the executor, because callbacks
     * of that future may block.
     */
    public static <A> CompletableFuture<A> cancelledOn(Executor executor, CompletableFuture<A> from) {
        CompletableFuture<A> to = new CompletableFuture<>();
        var unusedEnd = from.whenComplete((value, failure) -> Futures.complete(to, value, failure));
        var unused = to.whenComplete((value, failure) -> {
            if (!from.isDone()) {
                executor.execute(() -> from.cancel(false));
            }
        });
        return to;
    }

    /**
     * Starts work when another future has succeeded or failed. If the returned future is cancelled before that, the
     * work is not started.
     */
    public static <B> CompletableFuture<B> after(CompletableFuture<?> from, Supplier<CompletableFuture<B>> next) {
        CompletableFuture<B> to = new CompletableFuture<>();
        var unused = from.whenComplete((got, failed) -> {
            if (!to.isDone()) {
                follow(Futures.start(next), to);
            }
        });
        return to;
    }

    private static <B> void follow(CompletableFuture<B> from, CompletableFuture<B> to) {
        var unusedEnd = from.whenComplete((value, failure) -> Futures.complete(to, value, failure));
        var unused = taking(from, to);
    }

    /** Returns {@code to}. When {@code to} ends and {@code from} has not ended yet, {@code from} is cancelled. */
    private static <B> CompletableFuture<B> taking(CompletableFuture<?> from, CompletableFuture<B> to) {
        var unused = to.whenComplete((value, failure) -> from.cancel(false));
        return to;
    }
}
