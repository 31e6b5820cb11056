package io.csi4j.core.internal.concurrent;

import java.util.List;
import java.util.Optional;
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
     * Returns a failure without the exceptions that futures wrap around it.
     *
     * @param failure the failure of a future
     * @return the first cause that is neither a {@link CompletionException} nor an {@link ExecutionException}
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
     * Completes a future with the result or the failure of another future.
     *
     * @param <T> the type of the result
     * @param future the future to complete; it does not change if it has ended already
     * @param value the result of the other future; ignored if there is a failure
     * @param failure the failure of the other future, or null
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
     * Starts an operation. If it throws an exception or an error, the returned future fails with it.
     *
     * @param <T> the type of the result
     * @param operation starts the operation and returns its future
     * @return the future of the operation, or a failed future
     */
    public static <T extends @Nullable Object> CompletableFuture<T> start(Supplier<CompletableFuture<T>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Starts an operation on an executor.
     *
     * @param <T> the type of the result
     * @param executor the executor in which the operation starts
     * @param operation starts the operation and returns its future; an exception becomes the failure of the returned
     *     future
     * @return a future that ends in the same way as the operation; if the executor rejects the start, the future fails
     *     with that rejection
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
     * Starts one of two operations after a future has ended: {@code success} after a result, {@code failure} after a
     * failure.
     *
     * @param <T> the type of the future's result
     * @param <R> the type of the operation's result
     * @param future any future
     * @param success starts the operation that follows a result
     * @param failure starts the operation that follows a failure; it gets the failure without the exceptions that
     *     futures wrap around it
     * @return a future that ends in the same way as the started operation
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

    /**
     * Returns a future of the converted result of another future. If the returned future fails or is cancelled, the
     * other future is cancelled.
     *
     * @param <T> the type of the other future's result
     * @param <R> the type of the converted result
     * @param source any future
     * @param conversion converts the result; an exception becomes the failure of the returned future
     * @return a future that fails with the failure of {@code source}, without the exceptions that futures wrap around it
     */
    public static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> map(
            CompletableFuture<T> source, Function<T, R> conversion) {
        return map(source, conversion, failure -> failure);
    }

    /**
     * Returns a future of the converted result or failure of another future. If the returned future fails or is
     * cancelled, the other future is cancelled.
     *
     * @param <T> the type of the other future's result
     * @param <R> the type of the converted result
     * @param source any future
     * @param conversion converts the result; an exception becomes the failure of the returned future
     * @param failure converts the failure, which has no exceptions of futures around it
     * @return a future of what the conversions return
     */
    public static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> map(
            CompletableFuture<T> source,
            Function<? super T, ? extends R> conversion,
            Function<? super Throwable, ? extends Throwable> failure) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused = source.whenComplete((value, failed) -> {
            if (failed != null) {
                result.completeExceptionally(failure.apply(unwrap(failed)));
                return;
            }
            try {
                result.complete(conversion.apply(value));
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(unwrap(e));
            }
        });
        return cancelling(source, result);
    }

    /**
     * Returns a future with the result of another future. If the other future fails, {@code recovery} may return a
     * result in place of the failure. If the returned future is cancelled, the other future is cancelled.
     *
     * @param <T> the type of the result
     */
    public static <T> CompletableFuture<T> recovered(
            CompletableFuture<T> source, Function<? super Throwable, Optional<T>> recovery) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unused = source.whenComplete((value, failed) -> {
            if (failed == null) {
                result.complete(value);
            } else {
                recovery.apply(unwrap(failed))
                        .ifPresentOrElse(result::complete, () -> result.completeExceptionally(unwrap(failed)));
            }
        });
        return cancelling(source, result);
    }

    /**
     * Starts an operation when another future has ended in any way. If the returned future is cancelled before that,
     * the operation is not started; if later, the operation is cancelled.
     *
     * @param <T> the type of the operation's result
     */
    public static <T> CompletableFuture<T> after(
            CompletableFuture<?> source, Supplier<CompletableFuture<T>> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unused = source.whenComplete((value, failed) -> {
            if (!result.isDone()) {
                follow(start(operation), result);
            }
        });
        return result;
    }

    /**
     * Lets a future end as another one does. If the future ends before, for example by a cancellation, the other one is
     * cancelled.
     *
     * @param <T> the type of the result
     * @param source any future
     * @param result the future to complete
     */
    public static <T extends @Nullable Object> void follow(CompletableFuture<T> source, CompletableFuture<T> result) {
        var unused = source.whenComplete((value, failure) -> complete(result, value, failure));
        var unusedToo = cancelling(source, result);
    }

    /**
     * Returns a future with the result of another future. A cancellation is passed to the other future on the executor,
     * because callbacks of that future may block.
     *
     * @param <T> the type of the result
     */
    public static <T> CompletableFuture<T> cancelledOn(Executor executor, CompletableFuture<T> source) {
        CompletableFuture<T> result = new CompletableFuture<>();
        var unused = source.whenComplete((value, failure) -> complete(result, value, failure));
        var unusedToo = result.whenComplete((value, failure) -> {
            if (!source.isDone()) {
                executor.execute(() -> source.cancel(false));
            }
        });
        return result;
    }

    /** Returns {@code result}. When it ends and {@code source} has not ended yet, {@code source} is cancelled. */
    private static <R extends @Nullable Object> CompletableFuture<R> cancelling(
            CompletableFuture<?> source, CompletableFuture<R> result) {
        var unused = result.whenComplete((value, failure) -> source.cancel(false));
        return result;
    }

    private static <R extends @Nullable Object> void resume(
            CompletableFuture<R> result, Supplier<CompletableFuture<R>> operation) {
        var unused = start(operation).whenComplete((value, failure) -> complete(result, value, failure));
    }

    /**
     * Returns a future of the results of several futures.
     *
     * @param <T> the type of the results
     * @param futures any number
     * @return completes when all futures have ended, with the results in the order of the futures; fails with the
     *     failure of one of them
     */
    public static <T> CompletableFuture<List<T>> allOf(List<CompletableFuture<T>> futures) {
        List<CompletableFuture<T>> all = List.copyOf(futures);
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(ended -> all.stream().map(CompletableFuture::join).toList());
    }
}
