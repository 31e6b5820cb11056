package io.csi4j.node.internal.worker;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A call that leaves the record as it is. It waits for the other calls of the volume, because a volume has one call in
 * flight at most (R26).
 */
public record QueuedQuery<T>(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
    /** Makes the call, unless nobody waits for it any more; completes the result, and runs once the worker is free. */
    CompletableFuture<Runnable> run(VolumeEntry entry) {
        if (result.isDone()) {
            return CompletableFuture.completedFuture(() -> {});
        }
        CompletableFuture<T> answer = NodeCalls.start(() -> call.apply(entry));
        // A cancelled result cancels the call; after any other end of the result the call is over.
        var unused = result.whenComplete((value, error) -> answer.cancel(false));
        return answer.handle((value, error) -> () -> Futures.complete(result, value, error));
    }
}
