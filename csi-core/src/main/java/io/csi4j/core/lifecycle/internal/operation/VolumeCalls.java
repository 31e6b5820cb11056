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

/** Submits the commands that the worker needs before and after a call that creates or deletes a volume. */
final class VolumeCalls {
    private final Operations operations;

    VolumeCalls(Operations operations) {
        this.operations = operations;
    }

    /**
     * Stores that a call begins, so that each later leader knows that the outcome of the call may be unknown. Returns
     * the volume, whose row then has the call as unresolved.
     */
    CompletableFuture<Volume> recordBegin(Volume volume) {
        return operations
                .submit(new VolumeCommand.BeginCall(
                        volume.key(), volume.createIndex(), volume.phase(), operations.now()))
                .thenApply(Operations::stored);
    }

    /**
     * Returns whether the present call is the only call for the volume that may have an unknown outcome. If so, a
     * refusal of the present call proves that no call has had an effect.
     */
    static boolean isOnlyUnresolvedCall(Volume begun) {
        return begun.retry()
                .unresolved()
                .filter(call -> call.isOnlyCall(call.index()))
                .isPresent();
    }

    /**
     * Stores the failure of a call. When the failure is stored, the future completes with the same failure, which can
     * then be passed to the callers of the operation.
     *
     * @param begun the volume, whose row has the call as unresolved: the outcome of the call may be unknown
     * @param clear whether it is certain that the call changed nothing
     */
    CompletableFuture<Optional<Throwable>> recordFailure(Volume begun, Throwable failure, boolean clear) {
        long call = clear ? begun.retry().unresolved().orElseThrow().index() : 0;
        CompletableFuture<Outcome.Accepted> written = operations.submit(new VolumeCommand.RecordCallError(
                begun.key(),
                begun.createIndex(),
                begun.phase(),
                AttemptResult.failed(operations, failure, begun.retry(), call),
                operations.now()));
        return written.<Optional<Throwable>>thenApply(stored -> Optional.of(failure))
                .exceptionallyCompose(lost -> volumeWasRemoved(Failures.of(lost))
                        ? CompletableFuture.completedFuture(Optional.of(failure))
                        : CompletableFuture.failedFuture(Failures.of(lost)));
    }

    /** Returns whether a command was rejected because the volume was removed in the meantime. */
    private static boolean volumeWasRemoved(Throwable lost) {
        return lost instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound;
    }
}
