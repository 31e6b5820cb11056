package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What the worker writes around a call to create or delete a volume. */
final class VolumeCalls {
    private final Operations operations;

    VolumeCalls(Operations operations) {
        this.operations = operations;
    }

    /** Stores that a call begins: each later leader has to know of it. Gives the volume with the call. */
    CompletableFuture<Volume> begin(Volume volume) {
        return operations
                .submit(new VolumeCommand.BeginCall(
                        volume.key(), volume.createIndex(), volume.phase(), operations.now()))
                .thenApply(Operations::stored);
    }

    /** Whether a clear answer to the call settles what became of the volume: no other call has an unknown outcome. */
    static boolean settles(Volume begun) {
        return begun.retry()
                .unresolved()
                .filter(call -> call.isOnly(call.index()))
                .isPresent();
    }

    /**
     * Stores a failed call; complete with the failure that callers get.
     *
     * @param begun the volume with the call
     * @param clear whether the call is known to have changed nothing
     */
    CompletableFuture<Optional<Throwable>> failed(Volume begun, Throwable failure, boolean clear) {
        long call = clear ? begun.retry().unresolved().orElseThrow().index() : 0;
        CompletableFuture<Outcome.Accepted> written = operations.submit(new VolumeCommand.RecordCallError(
                begun.key(),
                begun.createIndex(),
                begun.phase(),
                AttemptResult.failed(operations, failure, begun.retry(), call),
                operations.now()));
        return written.<Optional<Throwable>>thenApply(stored -> Optional.of(failure))
                .exceptionallyCompose(lost -> removed(Failures.of(lost))
                        ? CompletableFuture.completedFuture(Optional.of(failure))
                        : CompletableFuture.failedFuture(Failures.of(lost)));
    }

    /** A volume that was removed meanwhile has no row to write to. */
    private static boolean removed(Throwable lost) {
        return lost instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound;
    }
}
