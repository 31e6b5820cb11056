package io.csi4j.examples.lifecycle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Repeats a call until its answer is accepted, a call fails, or the caller cancels. */
final class Polling<T> {
    private final Supplier<CompletableFuture<T>> call;
    private final Predicate<T> accepted;
    private final Executor delayed;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private Polling(Supplier<CompletableFuture<T>> call, Predicate<T> accepted, Duration interval) {
        this.call = call;
        this.accepted = accepted;
        this.delayed = CompletableFuture.delayedExecutor(interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Repeats a call until its answer is accepted. The caller cancels the future to stop earlier.
     *
     * @param call sends a call
     * @param accepted whether the answer is sufficient
     * @param interval the time between an answer and the next call
     */
    static <T> CompletableFuture<T> poll(
            Supplier<CompletableFuture<T>> call, Predicate<T> accepted, Duration interval) {
        Polling<T> repeat = new Polling<>(call, accepted, interval);
        repeat.callOnce();
        return repeat.result;
    }

    private void callOnce() {
        if (result.isDone()) {
            return;
        }
        try {
            call.get().thenAccept(this::answered).exceptionally(this::failed);
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    private void answered(T answer) {
        if (accepted.test(answer)) {
            result.complete(answer);
        } else {
            delayed.execute(this::callOnce);
        }
    }

    private Void failed(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        result.completeExceptionally(wrapped ? failure.getCause() : failure);
        return null;
    }
}
