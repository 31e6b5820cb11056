package io.csi4j.node.internal.worker;

import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.NodeFailures;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A call about a volume that changes nothing on record: it waits for the other calls, since there is one call
 * for a volume at a time (R26).
 */
public record QueuedQuery<T>(Function<VolumeEntry, CompletableFuture<T>> call, CompletableFuture<T> result) {
    /** Makes the call, unless nobody waits for it any more; completes the result, and runs once the worker is free. */
    CompletableFuture<Runnable> run(VolumeEntry entry) {
        if (result.isDone()) {
            return CompletableFuture.completedFuture(() -> {});
        }
        CompletableFuture<T> answer;
        try {
            answer = call.apply(entry);
        } catch (RuntimeException | Error e) {
            answer = CompletableFuture.failedFuture(e);
        }
        // Whoever waits no more has the call cancelled; else it is over by then.
        CompletableFuture<T> sent = answer;
        Ends.of(result, (value, error) -> sent.cancel(false));
        return answer.handle((value, error) -> () -> {
            if (error != null) {
                result.completeExceptionally(NodeFailures.of(error));
            } else {
                result.complete(value);
            }
        });
    }
}
