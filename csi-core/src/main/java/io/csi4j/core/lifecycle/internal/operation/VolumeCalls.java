package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.command.WithdrawnCreationCommand;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The steps that the creation, the deletion and the registration of volumes share. */
final class VolumeCalls {
    private final Operations operations;

    VolumeCalls(Operations operations) {
        this.operations = operations;
    }

    /**
     * Rejects an operation on a volume if another row of the state refers to the same volume of the storage provider.
     *
     * @throws RejectedException if there is such a row
     */
    static void checkOnlyRow(StateReader state, Volume volume) {
        volume.externalVolumeId()
                .flatMap(id -> state.volumeByExternalId(volume.pluginId(), id))
                .filter(holder -> !holder.equals(volume.key()))
                .ifPresent(holder -> {
                    throw new RejectedException(
                            new Rejection.ExternalIdTaken(volume.key(), volume.pluginId(), volume.remoteId(), holder));
                });
    }

    /** Calls CreateVolume with the stored fields, which are the same in each retry (R29). */
    CompletableFuture<CreateVolumeResponse> create(Caller caller, Volume volume, int attempt) {
        return operations.secrets(caller, volume, Rpc.CREATE_VOLUME).thenCompose(secrets -> {
            CreateVolumeRequest request = RequestFactory.create(volume, secrets);
            return operations.calls().controller(CallSubject.of(Rpc.CREATE_VOLUME, volume, attempt), controller -> {
                operations.intended(volume);
                return controller.createVolume(request);
            });
        });
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
        CompletableFuture<Outcome.Accepted> written = operations.submit(new VolumeCommand.RecordCallError(
                begun.key(),
                begun.createIndex(),
                begun.phase(),
                operations.retryLoop().failedCall(failure, begun.retry(), clear),
                operations.now()));
        return written.<Optional<Throwable>>thenApply(stored -> Optional.of(failure))
                .exceptionallyCompose(lost -> volumeWasRemoved(Futures.unwrap(lost))
                        ? CompletableFuture.completedFuture(Optional.of(failure))
                        : CompletableFuture.failedFuture(Futures.unwrap(lost)));
    }

    /**
     * Stores the answer to a call whose creation was withdrawn in the meantime; has no effect if it was not.
     *
     * @param externalVolumeId the volume that the provider has made; empty if the answer proves that it made none
     */
    CompletableFuture<Void> recordLateAnswer(Volume begun, Optional<ExternalVolumeId> externalVolumeId) {
        return operations
                .submit(new WithdrawnCreationCommand.RecordLateAnswer(
                        new WithdrawnCreation.Key(begun.pluginId(), begun.name()),
                        begun.createIndex(),
                        begun.retry().unresolved().map(UnresolvedCall::index).orElse(0L),
                        externalVolumeId,
                        operations.now()))
                .thenApply(stored -> null);
    }

    /** Returns whether a command was rejected because the volume was removed in the meantime. */
    static boolean volumeWasRemoved(Throwable lost) {
        return lost instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound;
    }
}
