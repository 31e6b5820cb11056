package io.csi4j.node.internal.worker;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The queries about one volume, which do not change its record. They wait for the other calls of the volume, because a volume has at
 * most one call in flight (R26), and take turns with them. Used in the tasks of the worker only.
 */
final class VolumeQueries {
    private final Deque<Query<?>> waiting = new ArrayDeque<>();
    private boolean isNext;

    private record Query<T>(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
        CompletableFuture<Runnable> run(VolumeEntry entry) {
            if (result.isDone()) {
                return CompletableFuture.completedFuture(() -> {});
            }
            CompletableFuture<T> answer = NodeCalls.start(() -> call.apply(entry));
            // Cancels the call if the caller cancels its future. Cancelling has no effect on a call that has ended.
            var unused = result.whenComplete((value, error) -> answer.cancel(false));
            return answer.handle((value, error) -> () -> Futures.complete(result, value, error));
        }
    }

    <T> void add(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
        waiting.add(new Query<>(call, result));
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Returns whether a query has to be made before an action. */
    boolean goBefore(MountAction action) {
        return !waiting.isEmpty() && (isNext || !action.isCall());
    }

    /** Lets a query go before the next call of the volume. */
    void callBegins() {
        isNext = true;
    }

    /**
     * Makes the call of the first query, unless the caller's future was cancelled. The returned future completes with a
     * task when the call has ended. The worker runs the task, which completes the caller's future.
     */
    CompletableFuture<Runnable> runFirst(VolumeEntry entry) {
        isNext = false;
        return waiting.remove().run(entry);
    }

    /** Fails all queries that wait. */
    void failAll(WorkerTasks tasks) {
        waiting.forEach(query -> tasks.failLater(query.result(), tasks.closedError()));
        waiting.clear();
    }
}
