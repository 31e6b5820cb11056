package io.csi4j.examples.lifecycle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Asks again from time to time, until an answer is good, a call fails, or nobody waits any more. */
final class RepeatUntil<T> {
    private final Supplier<CompletableFuture<T>> ask;
    private final Predicate<T> good;
    private final Executor later;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private RepeatUntil(Supplier<CompletableFuture<T>> ask, Predicate<T> good, Duration pause) {
        this.ask = ask;
        this.good = good;
        this.later = CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Asks until an answer is good. Whoever waits decides how long, and ends it by cancelling.
     *
     * @param ask sends a call
     * @param good whether its answer will do
     * @param pause between an answer and the next call
     */
    static <T> CompletableFuture<T> until(Supplier<CompletableFuture<T>> ask, Predicate<T> good, Duration pause) {
        RepeatUntil<T> repeat = new RepeatUntil<>(ask, good, pause);
        repeat.round();
        return repeat.result;
    }

    private void round() {
        if (result.isDone()) {
            return;
        }
        try {
            ask.get().thenAccept(this::answered).exceptionally(this::failed);
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    private void answered(T answer) {
        if (good.test(answer)) {
            result.complete(answer);
        } else {
            later.execute(this::round);
        }
    }

    private Void failed(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        result.completeExceptionally(wrapped ? failure.getCause() : failure);
        return null;
    }
}
