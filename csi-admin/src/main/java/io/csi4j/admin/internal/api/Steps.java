package io.csi4j.admin.internal.api;

import io.csi4j.core.internal.concurrent.Futures;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The steps of an action that makes several calls. */
final class Steps {
    private Steps() {}

    /**
     * Makes one call after another. If the returned future is cancelled, the running call is cancelled, and no further one
     * begins.
     *
     * @param first the call that was begun
     * @param next begins the call that follows its result
     */
    static <T extends @Nullable Object, R extends @Nullable Object> CompletableFuture<R> then(
            CompletableFuture<T> first, Function<T, CompletableFuture<R>> next) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused = first.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(Futures.unwrap(failure));
            } else if (!result.isDone()) {
                Futures.follow(Futures.start(() -> next.apply(value)), result);
            }
        });
        var unusedEnd = result.whenComplete((value, failure) -> first.cancel(false));
        return result;
    }
}
