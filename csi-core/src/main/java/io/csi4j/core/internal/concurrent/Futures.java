package io.csi4j.core.internal.concurrent;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Helpers for futures. */
public final class Futures {
    private Futures() {}

    /**
     * The failure without the exceptions that futures wrap around it.
     *
     * @param failure of a future
     * @return the first cause that is no {@link CompletionException} or {@link ExecutionException}
     */
    public static Throwable unwrap(Throwable failure) {
        Throwable inner = failure;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    /**
     * Completes a future as another one ended.
     *
     * @param <T> the result
     * @param future to complete; unchanged if it is complete
     * @param value the result if there is no failure
     * @param failure of the other future, or null
     */
    @SuppressWarnings("NullAway") // A future without failure has its value, which may be null where T allows it.
    public static <T extends @Nullable Object> void complete(
            CompletableFuture<T> future, @Nullable T value, @Nullable Throwable failure) {
        if (failure == null) {
            future.complete(value);
        } else {
            future.completeExceptionally(unwrap(failure));
        }
    }

    /**
     * Starts an operation.
     *
     * @param <T> the result
     * @param operation starts it; an exception that it throws becomes the failure of the future
     * @return the future of the operation
     */
    public static <T extends @Nullable Object> CompletableFuture<T> start(Supplier<CompletableFuture<T>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Starts an operation on an executor.
     *
     * @param <T> the result
     * @param executor where it starts
     * @param operation starts it; an exception that it throws becomes the failure of the future
     * @return ends as the operation; fails with the rejection if the executor rejects the start
     */
    public static <T extends @Nullable Object> CompletableFuture<T> startOn(
            Executor executor, Supplier<CompletableFuture<T>> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            executor.execute(() -> resume(result, operation));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    /**
     * A future that completes on an executor: outside of the serial section in which the other one completes.
     *
     * @param <T> the result
     * @param future any future
     * @param executor where callbacks of the result run
     * @return ends as the future; fails with the rejection, on the current thread, if the executor rejects the task
     */
    public static <T extends @Nullable Object> CompletableFuture<T> completeOn(
            CompletableFuture<T> future, Executor executor) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unused = future.whenComplete((value, failure) -> {
            try {
                executor.execute(() -> complete(result, value, failure));
            } catch (RejectedExecutionException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /**
     * Resumes an operation after a future has ended, whether well or not.
     *
     * @param <T> the result of the future
     * @param <R> the result of the operation
     * @param future any future
     * @param success starts what follows the result
     * @param failure starts what follows the failure, which has no wrappers of futures
     * @return ends as the operation that was started
     */
    public static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> compose(
            CompletableFuture<T> future,
            Function<T, CompletableFuture<R>> success,
            Function<Throwable, CompletableFuture<R>> failure) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused = future.whenComplete((value, failed) ->
                resume(result, () -> failed == null ? success.apply(value) : failure.apply(unwrap(failed))));
        return result;
    }

    private static <R extends @Nullable Object> void resume(
            CompletableFuture<R> result, Supplier<CompletableFuture<R>> operation) {
        var unused = start(operation).whenComplete((value, failure) -> complete(result, value, failure));
    }

    /**
     * The results of all futures.
     *
     * @param <T> the results
     * @param futures any number
     * @return the results in the order of the futures, when all have ended; fails with the failure of one
     */
    public static <T> CompletableFuture<List<T>> allOf(List<CompletableFuture<T>> futures) {
        List<CompletableFuture<T>> all = List.copyOf(futures);
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(ended -> all.stream().map(CompletableFuture::join).toList());
    }
}
