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

/** Futures made of others, which take those along when they are cancelled. */
public final class CancellableFutures {
    private CancellableFutures() {}

    /** The value or the failure of another future, made into others. */
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

    /** The value of another future, or what is made of its failure. */
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

    /** The value of another future; after a while {@code tooLate} completes it, and the other one is cancelled. */
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

    /** The same value or failure; the executor cancels the other future, because what depends on that may block. */
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

    /** Work that an executor begins, unless it is cancelled before. */
    public static <A> CompletableFuture<A> begun(Executor executor, Supplier<CompletableFuture<A>> work) {
        CompletableFuture<A> to = new CompletableFuture<>();
        executor.execute(() -> {
            if (to.isDone()) {
                return;
            }
            CompletableFuture<A> begun;
            try {
                begun = work.get();
            } catch (RuntimeException refused) {
                to.completeExceptionally(refused);
                return;
            }
            follow(begun, to);
        });
        return to;
    }

    /** Something that is begun when another future has ended, unless it is cancelled before. */
    public static <B> CompletableFuture<B> after(CompletableFuture<?> from, Supplier<CompletableFuture<B>> next) {
        CompletableFuture<B> to = new CompletableFuture<>();
        var unused = from.whenComplete((got, failed) -> {
            if (to.isDone()) {
                return;
            }
            follow(next.get(), to);
        });
        return to;
    }

    private static <B> void follow(CompletableFuture<B> from, CompletableFuture<B> to) {
        var unusedEnd = from.whenComplete((value, failure) -> Futures.complete(to, value, failure));
        var unused = taking(from, to);
    }

    /** An end of the second future cancels the first, unless that has ended. */
    private static <B> CompletableFuture<B> taking(CompletableFuture<?> from, CompletableFuture<B> to) {
        var unused = to.whenComplete((value, failure) -> from.cancel(false));
        return to;
    }
}
