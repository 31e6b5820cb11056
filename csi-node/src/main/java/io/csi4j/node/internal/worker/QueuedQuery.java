package io.csi4j.node.internal.worker;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A query that does not change the record. It waits for the other calls of the volume, because a volume has at most one call in flight (R26).
 */
public record QueuedQuery<T>(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
    /** Makes the call, unless its future was cancelled. The result completes when the worker is free again. */
    CompletableFuture<Runnable> run(VolumeEntry entry) {
        if (result.isDone()) {
            return CompletableFuture.completedFuture(() -> {});
        }
        CompletableFuture<T> answer = NodeCalls.start(() -> call.apply(entry));
        // A cancelled result cancels the call; otherwise the call has ended already.
        var unused = result.whenComplete((value, error) -> answer.cancel(false));
        return answer.handle((value, error) -> () -> Futures.complete(result, value, error));
    }
}
