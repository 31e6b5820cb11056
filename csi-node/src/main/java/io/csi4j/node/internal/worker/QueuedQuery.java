package io.csi4j.node.internal.worker;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A query about a volume that does not change the record. The query waits for the other calls of the volume, because a volume has at most
 * one call in flight (R26).
 */
public record QueuedQuery<T>(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
    /**
     * Makes the call, unless the caller's future was cancelled. The returned future completes with a task when the call
     * has ended. The worker runs the task, which completes the caller's future.
     */
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
