package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Deletes volumes at the storage provider. The intent is stored first; the state rejects it while the volume is in use.
 * The volume's row is removed only after the plugin has confirmed the deletion.
 */
public final class VolumeDeletion {
    /** The number of calls after which the search for the id of an interrupted creation may end. */
    private static final int CALLS_WITHOUT_ROOM = 3;

    private final Operations operations;
    private final Confirmation confirmation;
    private final Supplier<Optional<Object>> leadership;
    private final VolumeCalls calls;

    /**
     * Creates the operation.
     *
     * @param confirmation asks the plugin about a volume
     * @param leadership identifies the current term of leadership; empty if this engine does not lead
     */
    public VolumeDeletion(Operations operations, Confirmation confirmation, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.confirmation = confirmation;
        this.leadership = leadership;
        this.calls = new VolumeCalls(operations);
    }

    public CompletableFuture<Void> delete(Caller caller, VolumeKey key) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        Volume volume = operations.volume(key);
        PluginOffer.of(state, volume.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_VOLUME, "deleting volumes")
                .check("deletion of volume " + key);
        // The deletion would take the volume of the storage provider away from another row that refers to it.
        VolumeCalls.checkOnlyRow(state, volume);
        PendingOperation<Boolean> deletion =
                operations.pending().begin(caller, key, now -> now.phase() == VolumePhase.DELETING);
        CompletableFuture<Void> work = operations
                .retryLoop()
                .untilDone("intent to delete volume " + key, RetryLoop.Stored.UNCERTAIN, attempt -> storeIntent(volume))
                .thenCompose(written -> operations.pending().await(deletion, now -> isDeleted(now, volume)))
                .thenApply(deleted -> null);
        return deletion.limited("deletion of volume " + key, work).whenComplete((done, failure) -> {
            if (failure != null) {
                deletion.abandon(failure);
            }
        });
    }

    /**
     * Returns true if the volume is deleted, and empty while the deletion is in progress. If another volume has the key
     * now, the given volume counts as deleted.
     */
    private static Optional<Boolean> isDeleted(StateReader state, Volume asked) {
        Optional<Volume> volume = state.volume(asked.key()).filter(now -> now.createIndex() == asked.createIndex());
        if (volume.filter(now -> now.phase() == VolumePhase.AVAILABLE).isPresent()) {
            throw new RefusedException(new CsiException("the deletion of volume " + asked.key() + " was withdrawn"));
        }
        return volume.isEmpty() ? Optional.of(true) : Optional.empty();
    }

    /**
     * Stores the intent to delete this volume. If the volume is being created, and it is certain that no call has made
     * it, the volume is removed at once. The command contains the volume's modify index, so the state rejects it
     * if another volume has the key by then.
     */
    private CompletableFuture<Outcome.Accepted> storeIntent(Volume asked) {
        Volume volume = operations.same(asked, "deleted");
        boolean nothingMade = volume.phase() == VolumePhase.CREATING
                && volume.externalVolumeId().isEmpty()
                && volume.retry().unresolved().isEmpty();
        return operations.submitUnlessChanged(
                nothingMade
                        ? new VolumeCommand.DeregisterVolume(volume.key(), true, volume.modifyIndex(), operations.now())
                        : new VolumeCommand.SetVolumePhase(
                                volume.key(), VolumePhase.DELETING, volume.modifyIndex(), operations.now()));
    }

    /** Makes the worker's calls to delete the volume. The future completes when their result is stored. */
    CompletableFuture<Void> perform(VolumeKey key) {
        return operations
                .callQueues()
                .exclusively(
                        key,
                        () -> operations
                                .state()
                                .volume(key)
                                .filter(volume -> volume.phase() == VolumePhase.DELETING)
                                .map(volume -> operations.pending().perform(volume, caller -> attempt(caller, volume)))
                                .orElse(CompletableFuture.completedFuture(null)));
    }

    /**
     * Makes one attempt to delete the volume. The future completes with the failure of the attempt, or empty, when the
     * result is stored.
     */
    CompletableFuture<Optional<Throwable>> attempt(Caller caller, Volume volume) {
        int number = volume.retry().attempts() + 1;
        return calls.recordBegin(volume).thenCompose(begun -> call(caller, begun, number));
    }

    private CompletableFuture<Optional<Throwable>> call(Caller caller, Volume begun, int number) {
        if (begun.externalVolumeId().isPresent()) {
            return deleteKnown(caller, begun, number);
        }
        return Futures.compose(
                findExternalId(caller, begun, number),
                found -> afterFound(caller, begun),
                failure -> notFound(begun, failure, number));
    }

    /**
     * Handles a failure to find the id of a volume whose creation was interrupted. The failed call was CreateVolume,
     * which cannot have deleted the volume. A plugin returns the volume of a name also if it has no room for another one
     * (R51). So if it answers RESOURCE_EXHAUSTED several times, it very likely has none; then the creation is withdrawn,
     * and the deletion ends.
     */
    private CompletableFuture<Optional<Throwable>> notFound(Volume begun, Throwable failure, int number) {
        if (Failures.code(failure) != StatusCode.RESOURCE_EXHAUSTED || number < CALLS_WITHOUT_ROOM) {
            return calls.recordFailure(begun, failure, true);
        }
        return operations
                .submit(new VolumeCommand.WithdrawCreation(
                        begun.key(),
                        begun.createIndex(),
                        Caller.ENGINE.principal().getName(),
                        "the volume is to be deleted, its id is not known, and the plugin answered RESOURCE_EXHAUSTED"
                                + " to the call that would return it",
                        operations.now()))
                .<Optional<Throwable>>thenApply(withdrawn -> Optional.of(failure))
                .exceptionallyCompose(rejected -> VolumeCalls.volumeWasRemoved(Futures.unwrap(rejected))
                        ? CompletableFuture.completedFuture(Optional.of(failure))
                        : CompletableFuture.failedFuture(Futures.unwrap(rejected)));
    }

    private CompletableFuture<Optional<Throwable>> afterFound(Caller caller, Volume begun) {
        return operations
                .state()
                .volume(begun.key())
                .filter(now -> now.createIndex() == begun.createIndex() && now.phase() == VolumePhase.DELETING)
                .map(now -> attempt(caller, now))
                .orElse(CompletableFuture.completedFuture(Optional.empty()));
    }

    /**
     * Finds the external id of a volume whose creation was interrupted. Only the same CreateVolume request returns the
     * id (R30, R56). The request may create the volume, which can then be deleted.
     */
    private CompletableFuture<Void> findExternalId(Caller caller, Volume volume, int attempt) {
        return calls.create(caller, volume, attempt)
                .thenCompose(answer -> operations
                        .submit(new VolumeCommand.RecordProviderFacts(
                                volume.key(),
                                VolumeAnswer.facts(answer.volume()),
                                volume.createIndex(),
                                operations.now()))
                        .exceptionallyCompose(failure -> VolumeCalls.volumeWasRemoved(Futures.unwrap(failure))
                                ? calls.recordLateAnswer(
                                                volume,
                                                Optional.of(answer.volume().volumeId()))
                                        .thenCompose(stored -> CompletableFuture.failedFuture(Futures.unwrap(failure)))
                                : CompletableFuture.failedFuture(Futures.unwrap(failure))))
                .exceptionallyCompose(failure -> Futures.unwrap(failure) instanceof RejectedException rejected
                                && rejected.reason() instanceof Rejection.ExternalIdTaken
                        // The state has the storage provider's volume under another key. So that volume is not deleted;
                        // only the row of this key is removed.
                        ? operations.submitUnlessChanged(new VolumeCommand.DeregisterVolume(
                                volume.key(), true, volume.modifyIndex(), operations.now()))
                        : CompletableFuture.failedFuture(Futures.unwrap(failure)))
                .thenApply(done -> null);
    }

    private CompletableFuture<Optional<Throwable>> deleteKnown(Caller caller, Volume begun, int attempt) {
        return Futures.compose(
                send(caller, begun, attempt), answer -> removeRow(begun), failure -> onFailure(begun, failure));
    }

    private CompletableFuture<Void> send(Caller caller, Volume volume, int attempt) {
        try {
            VolumeCalls.checkOnlyRow(operations.state(), volume);
        } catch (RejectedException e) {
            return CompletableFuture.failedFuture(e);
        }
        return operations.secrets(caller, volume, Rpc.DELETE_VOLUME).thenCompose(secrets -> {
            DeleteVolumeRequest request = RequestFactory.delete(volume, secrets);
            return operations.calls().controller(CallSubject.of(Rpc.DELETE_VOLUME, volume, attempt), controller -> {
                operations.intended(volume);
                return controller.deleteVolume(request);
            });
        });
    }

    private CompletableFuture<Optional<Throwable>> removeRow(Volume volume) {
        return operations
                .submitUnlessChanged(
                        new VolumeCommand.DeregisterVolume(volume.key(), false, volume.modifyIndex(), operations.now()))
                .thenApply(removed -> Optional.empty());
    }

    /**
     * Withdraws a deletion. The plugin has to confirm first that the volume exists, because a DeleteVolume call may
     * have lost its response. While the plugin is asked, no call of this engine for the volume is in flight.
     */
    public CompletableFuture<Volume> withdraw(Caller caller, VolumeKey key) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        Volume asked = operations.volume(key);
        if (asked.phase() != VolumePhase.DELETING) {
            return CompletableFuture.completedFuture(Operations.available(asked));
        }
        if (leadership.get().isEmpty()) {
            throw new NotLeadingException();
        }
        return operations
                .retryLoop()
                .untilDone(
                        withdrawalOf(key),
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.callQueues().exclusively(key, () -> withdraw(caller, asked, attempt)));
    }

    private CompletableFuture<Volume> withdraw(Caller caller, Volume asked, int attempt) {
        Volume volume = operations.same(asked, "deleted");
        if (volume.phase() != VolumePhase.DELETING) {
            return CompletableFuture.completedFuture(Operations.available(volume));
        }
        if (volume.externalVolumeId().isEmpty()) {
            throw unusable(
                    volume,
                    "names a volume whose id at the provider is not known, because its creation is not finished",
                    "let the deletion finish, or withdraw the creation");
        }
        if (isMismatch(volume)) {
            throw unusable(
                    volume,
                    "names a volume that is not what was asked for",
                    "let the deletion finish, and create the volume again");
        }
        return confirmation
                .of(caller, volume, attempt)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Failures.code(failure) == StatusCode.NOT_FOUND
                                ? CsiRequestException.afterQuestion(
                                        withdrawalOf(volume.key()),
                                        List.of(new Problem(
                                                "key",
                                                "names volume " + volume.remoteId() + ", which plugin "
                                                        + volume.pluginId() + " has deleted already",
                                                "let the deletion finish")))
                                : Futures.unwrap(failure)))
                .thenCompose(confirmed -> operations.submitUnlessChanged(new VolumeCommand.SetVolumePhase(
                        volume.key(), VolumePhase.AVAILABLE, volume.modifyIndex(), operations.now())))
                .thenApply(back -> operations.same(asked, "deleted"));
    }

    private static CsiRequestException unusable(Volume volume, String problem, String remedy) {
        return new CsiRequestException(withdrawalOf(volume.key()), List.of(new Problem("key", problem, remedy)));
    }

    private static String withdrawalOf(VolumeKey key) {
        return "withdrawal of the deletion of volume " + key;
    }

    /** Asks the plugin whether it has a volume that matches the specification. */
    @FunctionalInterface
    public interface Confirmation {
        /** Asks the plugin. The future fails with NOT_FOUND if the plugin does not have the volume. */
        CompletableFuture<Void> of(Caller caller, Volume volume, int attempt);
    }

    /**
     * Returns whether the plugin created a volume that did not match its request. Such a volume must not become
     * available.
     */
    private boolean isMismatch(Volume volume) {
        return volume.origin() == VolumeOrigin.CREATED
                && VolumeAnswer.problem(
                                volume.spec(),
                                volume.facts(),
                                operations.ports().options().contentSourceRequired())
                        .isPresent();
    }

    /**
     * Handles a failed DeleteVolume. If the plugin refused the deletion, the volume becomes available again (R60),
     * unless another call may have deleted it or the volume does not match its specification. After any other failure
     * the intent stays, and the deletion is retried. A refusal by the second instance after an unknown outcome at the
     * first is such a failure.
     */
    private CompletableFuture<Optional<Throwable>> onFailure(Volume begun, Throwable failure) {
        CallOutcome outcome = Failures.outcome(failure);
        boolean inUse =
                Failures.code(failure) == StatusCode.FAILED_PRECONDITION && outcome != CallOutcome.OUTCOME_UNKNOWN;
        boolean refused = inUse || outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        if (!refused || isMismatch(begun) || !VolumeCalls.isOnlyUnresolvedCall(begun)) {
            return calls.recordFailure(begun, failure, Failures.changedNothing(failure));
        }
        return operations
                .submitUnlessChanged(new VolumeCommand.SetVolumePhase(
                        begun.key(), VolumePhase.AVAILABLE, begun.modifyIndex(), operations.now()))
                .thenApply(back -> Optional.of(new RefusedException(failure)));
    }
}
