package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.SourceUse;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.Attempt;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Makes the calls for snapshots. The begin of a CreateSnapshot is stored before it is sent, and each end is stored: so a
 * snapshot that the storage provider may have is never forgotten (R76-R80).
 */
final class SnapshotCalls {
    private final Operations operations;
    private final Term term;

    SnapshotCalls(Operations operations, Term term) {
        this.operations = operations;
        this.term = term;
    }

    /** The ways in which a call ends whose end is stored. */
    enum End {
        /** The snapshot is in its next phase, is gone, or the state says when to call again. */
        STORED,
        /** The plugin has the snapshot, and it is not ready to use. */
        NOT_READY
    }

    /**
     * Makes the call that a row needs.
     *
     * @return completes when the end of the call is stored; fails if it could not be stored
     */
    CompletableFuture<End> call(VolumeSnapshot row) {
        return row.phase() == SnapshotPhase.DELETING ? delete(row) : create(row);
    }

    private CompletableFuture<End> create(VolumeSnapshot row) {
        return operations
                .volumeCalls()
                .exclusively(
                        row.spec().source(),
                        () -> Futures.compose(
                                begun(row),
                                begun -> Futures.compose(
                                        secrets(begun, Rpc.CREATE_SNAPSHOT)
                                                .thenCompose(secrets -> send(begun, secrets)),
                                        answer -> described(begun, answer),
                                        failure -> createFailed(begun, failure)),
                                failure -> isGone(failure)
                                        ? CompletableFuture.completedFuture(End.STORED)
                                        : CompletableFuture.failedFuture(failure)));
    }

    /** Returns whether the row has left its phase while the call waited, so that there is nothing to call for. */
    private static boolean isGone(Throwable failure) {
        return failure instanceof RejectedException rejected && rejected.reason() instanceof Rejection.SnapshotNotFound;
    }

    /** Stores that CreateSnapshot is about to be sent, and returns the row. */
    private CompletableFuture<VolumeSnapshot> begun(VolumeSnapshot row) {
        return submit(new SnapshotCommand.BeginSnapshot(row.key(), row.createIndex(), operations.now()))
                .thenApply(SnapshotCalls::stored);
    }

    /** Returns the snapshot that an accepted command has stored. */
    static VolumeSnapshot stored(Outcome.Accepted written) {
        return written.effects().stream()
                .filter(Effect.SnapshotStored.class::isInstance)
                .map(Effect.SnapshotStored.class::cast)
                .map(Effect.SnapshotStored::snapshot)
                .findFirst()
                .orElseThrow();
    }

    private CompletableFuture<Secrets> secrets(VolumeSnapshot row, Rpc rpc) {
        return operations
                .secrets()
                .of(Caller.ENGINE, row.spec().pluginId(), Optional.of(row.spec().sourceVolumeId()), rpc);
    }

    private CompletableFuture<Snapshot> send(VolumeSnapshot row, Secrets secrets) {
        CreateSnapshotRequest request = request(row.spec(), secrets);
        return operations
                .calls()
                .controller(subject(row, Rpc.CREATE_SNAPSHOT), controller -> {
                    checkIntent(row);
                    return controller.createSnapshot(request);
                })
                .thenApply(answer -> checked(row, answer.snapshot()));
    }

    /**
     * Returns the request for an intent.
     *
     * @throws CsiRequestException if it breaks a rule of CSI
     */
    static CreateSnapshotRequest request(SnapshotSpec spec, Secrets secrets) {
        return CreateSnapshotRequest.builder(spec.sourceVolumeId(), spec.providerName())
                .parameters(spec.parameters())
                .secrets(secrets)
                .build();
    }

    private static Snapshot checked(VolumeSnapshot row, Snapshot answer) {
        if (!answer.sourceVolumeId().equals(row.spec().sourceVolumeId())) {
            throw new WrongAnswerException(
                    Rpc.CREATE_SNAPSHOT,
                    "snapshot " + row.key(),
                    "it is one of " + answer.sourceVolumeId() + " and not of "
                            + row.spec().sourceVolumeId());
        }
        return answer;
    }

    /** Checks right before a call is sent that the state still wants it. */
    private void checkIntent(VolumeSnapshot row) {
        if (!term.mayCall()) {
            throw new NotLeadingException();
        }
        boolean wanted = operations
                .state()
                .snapshot(row.key())
                .filter(now -> now.createIndex() == row.createIndex() && now.phase() == row.phase())
                .isPresent();
        if (!wanted) {
            throw new OvertakenException(row.spec().source());
        }
    }

    private static CallSubject subject(VolumeSnapshot row, Rpc rpc) {
        return CallSubject.of(
                        rpc, row.spec().pluginId(), row.spec().sourceVolumeId().value())
                .attempt(row.retry().attempts() + 1);
    }

    private CompletableFuture<End> described(VolumeSnapshot begun, Snapshot answer) {
        return submit(new SnapshotCommand.RecordSnapshot(begun.key(), begun.createIndex(), answer, operations.now()))
                .thenApply(stored -> answer.readyToUse() ? End.STORED : End.NOT_READY);
    }

    private CompletableFuture<End> createFailed(VolumeSnapshot begun, Throwable failure) {
        boolean noRoom = Failures.code(failure) == StatusCode.RESOURCE_EXHAUSTED;
        // A plugin that answers about another volume may have made the snapshot all the same.
        boolean wrong = failure instanceof WrongAnswerException;
        long call = begun.retry().unresolved().orElseThrow().index();
        return record(
                begun,
                false,
                noRoom || (RetryLoop.isPermanent(failure) && !wrong)
                        ? new Attempt(
                                Failures.textToStore(failure),
                                Optional.empty(),
                                noRoom || Failures.changedNothing(failure) ? call : 0)
                        : operations.retryLoop().failedAttempt(failure, begun.retry(), call));
    }

    private CompletableFuture<End> record(VolumeSnapshot row, boolean deletion, Attempt attempt) {
        return submit(new SnapshotCommand.RecordSnapshotError(
                        row.key(), row.createIndex(), deletion, attempt, operations.now()))
                .thenApply(stored -> End.STORED);
    }

    private CompletableFuture<End> delete(VolumeSnapshot row) {
        SnapshotId id = row.snapshotId().orElseThrow();
        return operations
                .volumeCalls()
                .exclusively(
                        id,
                        () -> Futures.compose(
                                secrets(row, Rpc.DELETE_SNAPSHOT)
                                        .thenCompose(secrets -> sendDeletion(row, id, secrets)),
                                deleted -> submit(new SnapshotCommand.RemoveSnapshot(
                                                row.key(), row.createIndex(), operations.now()))
                                        .thenApply(removed -> End.STORED),
                                failure -> record(
                                        row, true, operations.retryLoop().failedAttempt(failure, row.retry(), 0))));
    }

    private CompletableFuture<Void> sendDeletion(VolumeSnapshot row, SnapshotId id, Secrets secrets) {
        return operations.calls().controller(subject(row, Rpc.DELETE_SNAPSHOT), controller -> {
            checkIntent(row);
            SourceUse.check(
                    operations.state(),
                    row.spec().pluginId(),
                    List.of(id),
                    key -> key.namespace().equals(row.key().namespace()));
            return controller.deleteSnapshot(
                    DeleteSnapshotRequest.builder(id).secrets(secrets).build());
        });
    }

    /** Submits a command of this term. */
    private CompletableFuture<Outcome.Accepted> submit(SnapshotCommand command) {
        return term.ended() ? CompletableFuture.failedFuture(new NotLeadingException()) : operations.submit(command);
    }
}
