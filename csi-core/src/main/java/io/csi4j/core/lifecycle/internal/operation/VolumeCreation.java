package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.CreationName;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeMerge;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Creates volumes. The intent with the volume's name is stored first (R56). Then CreateVolume is sent, with the same
 * fields in each retry, until its outcome is known. A volume that does not match the request is deleted again.
 */
public final class VolumeCreation {
    private final Operations operations;
    private final VolumeDeletion deletion;
    private final VolumeCalls calls;

    public VolumeCreation(Operations operations, VolumeDeletion deletion) {
        this.operations = operations;
        this.deletion = deletion;
        this.calls = new VolumeCalls(operations);
    }

    public CompletableFuture<Volume> create(Caller caller, VolumeKey key, VolumeSpec declared) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        check(state, key, declared);
        PendingOperation<Volume> creation =
                operations.pending().begin(caller, key, now -> now.phase() == VolumePhase.CREATING);
        var intent = new VolumeCommand.RegisterVolume(
                key, declared, VolumeOrigin.CREATED, ProviderFacts.none(), operations.now());
        CompletableFuture<Volume> work = operations.submit(intent).thenCompose(written -> {
            Volume asked = Operations.stored(written);
            return operations.pending().await(creation, now -> createdVolume(now, asked));
        });
        return creation.limited("creation of volume " + key, work).whenComplete((created, failure) -> {
            if (failure != null) {
                creation.abandon(failure);
            }
        });
    }

    /** Returns the volume if the plugin has created it; empty while the creation is in progress. */
    private static Optional<Volume> createdVolume(StateReader state, Volume asked) {
        withdrawn(state, asked).ifPresent(row -> {
            throw new RefusedException(new CsiException("the creation of volume " + asked.key() + " was withdrawn: "
                    + row.withdrawn().reason() + "; the provider may have made it as " + row.name()));
        });
        Volume volume = Operations.same(state, asked, "created");
        if (volume.phase() == VolumePhase.DELETING) {
            throw new RejectedException(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        return volume.phase() == VolumePhase.AVAILABLE ? Optional.of(volume) : Optional.empty();
    }

    private void check(StateReader state, VolumeKey key, VolumeSpec spec) {
        List<Problem> problems = new ArrayList<>(spec.problems());
        if (spec.externalVolumeId().isPresent()) {
            problems.add(new Problem(
                    "externalVolumeId", "is declared for a volume that is to be created", "register it instead"));
        }
        if (state.volume(key)
                .filter(volume -> volume.origin() == VolumeOrigin.REGISTERED)
                .isPresent()) {
            problems.add(new Problem("id", "is that of a volume that was registered", "choose another id"));
        }
        if (!spec.volumeContext().isEmpty()) {
            problems.add(new Problem(
                    "volumeContext",
                    "is declared for a volume that is to be created",
                    "leave it out: the provider gives it (R57)"));
        }
        CreationName.conflict(state, key, spec).ifPresent(problems::add);
        problems.addAll(requiredCapabilities(state, spec).problems());
        if (!problems.isEmpty()) {
            throw new CsiRequestException("volume " + key, problems);
        }
        state.volume(key).ifPresent(known -> checkEqualToExisting(known, spec));
    }

    /**
     * Rejects the creation of an existing volume if a field differs. The state would reject the command too; this check
     * avoids submitting it.
     */
    private static void checkEqualToExisting(Volume known, VolumeSpec spec) {
        List<Problem> conflicts = VolumeMerge.repeat(known, spec);
        if (!conflicts.isEmpty()) {
            throw new RejectedException(new Rejection.ConflictingFields(known.key(), conflicts));
        }
    }

    private static PluginOffer requiredCapabilities(StateReader state, VolumeSpec spec) {
        PluginOffer offer = PluginOffer.of(state, spec.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_VOLUME, "creating volumes");
        if (!spec.mutableParameters().isEmpty()) {
            offer.needs(ControllerCapability.MODIFY_VOLUME, "mutableParameters");
        }
        if (spec.accessibilityRequirements().isPresent()) {
            offer.needs(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS, "accessibilityRequirements");
        }
        spec.contentSource()
                .ifPresent(source -> offer.needs(
                        source instanceof VolumeContentSource.VolumeSource
                                ? ControllerCapability.CLONE_VOLUME
                                : ControllerCapability.CREATE_DELETE_SNAPSHOT,
                        "contentSource"));
        return offer;
    }

    /** Makes the worker's call to create the volume. The future completes when the result of the call is stored. */
    CompletableFuture<Void> perform(VolumeKey key) {
        return operations
                .callQueues()
                .exclusively(
                        key,
                        () -> operations
                                .state()
                                .volume(key)
                                .filter(volume -> volume.phase() == VolumePhase.CREATING)
                                .map(volume -> operations.pending().perform(volume, caller -> attempt(caller, volume)))
                                .orElse(CompletableFuture.completedFuture(null)));
    }

    private CompletableFuture<Optional<Throwable>> attempt(Caller caller, Volume volume) {
        return calls.recordBegin(volume)
                .thenCompose(begun -> call(caller, begun, volume.retry().attempts() + 1));
    }

    private CompletableFuture<Optional<Throwable>> call(Caller caller, Volume begun, int attempt) {
        return Futures.compose(
                calls.create(caller, begun, attempt),
                answer -> onAnswer(caller, begun, answer.volume()),
                failure -> onFailure(begun, failure));
    }

    private CompletableFuture<Optional<Throwable>> onAnswer(Caller caller, Volume begun, ExternalVolume answer) {
        return VolumeAnswer.problem(
                        begun.spec(),
                        VolumeAnswer.facts(answer),
                        operations.ports().options().contentSourceRequired())
                .map(problem -> deleteMismatch(caller, begun, answer, problem))
                .orElseGet(() -> adopt(begun, answer));
    }

    private CompletableFuture<Optional<Throwable>> adopt(Volume begun, ExternalVolume answer) {
        var facts = new VolumeCommand.RecordProviderFacts(
                begun.key(), VolumeAnswer.facts(answer), begun.createIndex(), operations.now());
        return operations
                .submit(facts)
                .thenApply(written -> Optional.<Throwable>empty())
                .exceptionallyCompose(failure -> onRejectedResult(begun, answer, Futures.unwrap(failure)));
    }

    /**
     * Handles a rejection of the command that records a created volume. If the state already has the created volume
     * under another key, the volume stays there unchanged, and only the row of this key with its intent is removed.
     */
    private CompletableFuture<Optional<Throwable>> onRejectedResult(
            Volume begun, ExternalVolume answer, Throwable failure) {
        if (failure instanceof RejectedException rejected && isExternalIdTaken(rejected.reason())) {
            return operations
                    .submitUnlessChanged(new VolumeCommand.DeregisterVolume(
                            begun.key(), true, begun.modifyIndex(), operations.now()))
                    .thenApply(removed -> Optional.of(rejected));
        }
        if (failure instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound) {
            CsiException late = new CsiException(
                    "volume " + begun.key() + " was forgotten while it was being created; the provider has it as "
                            + answer.volumeId() + ": register that one, or delete it there",
                    rejected);
            return calls.recordLateAnswer(begun, Optional.of(answer.volumeId())).thenApply(stored -> Optional.of(late));
        }
        // The plugin has created the volume, but the result could not be stored. So the state keeps the outcome of the
        // call as unknown, and the creation is retried.
        return calls.recordFailure(begun, failure, false);
    }

    private static boolean isExternalIdTaken(Rejection reason) {
        return reason instanceof Rejection.ExternalIdTaken
                || (reason instanceof Rejection.InBatch batch && isExternalIdTaken(batch.cause()));
    }

    /**
     * Deletes a created volume that does not match the request. The volume's external id is stored together with the
     * intent to delete it, so that no volume is left behind after a crash.
     */
    private CompletableFuture<Optional<Throwable>> deleteMismatch(
            Caller caller, Volume begun, ExternalVolume answer, String problem) {
        VolumeKey key = begun.key();
        var intent = new Batch(
                List.of(
                        new VolumeCommand.SetVolumePhase(
                                key, VolumePhase.DELETING, begun.modifyIndex(), operations.now()),
                        new VolumeCommand.RecordProviderFacts(
                                key, VolumeAnswer.facts(answer), begun.createIndex(), operations.now())),
                operations.now());
        return operations
                .submitUnlessChanged(intent)
                .thenCompose(written -> deletion.attempt(caller, operations.volume(key)))
                .<Optional<Throwable>>thenApply(undone -> Optional.of(wrongAnswer(key, problem, undone.orElse(null))))
                .exceptionallyCompose(failure -> onRejectedResult(begun, answer, Futures.unwrap(failure)));
    }

    private static WrongAnswerException wrongAnswer(VolumeKey key, String problem, @Nullable Throwable undone) {
        WrongAnswerException wrong = new WrongAnswerException(
                Rpc.CREATE_VOLUME,
                "volume " + key,
                problem
                        + (undone == null
                                ? "; it was deleted again"
                                : "; it is being deleted, repeat the deletion to see"));
        if (undone != null) {
            wrong.addSuppressed(Futures.unwrap(undone));
        }
        return wrong;
    }

    private CompletableFuture<Optional<Throwable>> onFailure(Volume begun, Throwable failure) {
        CallOutcome outcome = Failures.outcome(failure);
        boolean never = outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        if (!never || !VolumeCalls.isOnlyUnresolvedCall(begun)) {
            return calls.recordFailure(begun, failure, Failures.changedNothing(failure));
        }
        // The plugin refused every call, so the volume cannot exist, and the intent is removed.
        return operations
                .submitUnlessChanged(
                        new VolumeCommand.DeregisterVolume(begun.key(), true, begun.modifyIndex(), operations.now()))
                .<Optional<Throwable>>thenApply(removed -> Optional.of(failure))
                .exceptionallyCompose(rejected -> VolumeCalls.volumeWasRemoved(Futures.unwrap(rejected))
                        ? calls.recordLateAnswer(begun, Optional.empty()).thenApply(stored -> Optional.of(failure))
                        : CompletableFuture.failedFuture(Futures.unwrap(rejected)));
    }

    /**
     * Gives up a creation that is not finished. Waits for no call: a call in flight may hang, and its answer is recorded
     * when it comes.
     *
     * @return the record of the withdrawn creation; empty if it is certain that nothing was made
     */
    public CompletableFuture<Optional<WithdrawnCreation>> withdraw(Caller caller, VolumeKey key, String reason) {
        operations.allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        Volume asked = operations.volume(key);
        var command = new VolumeCommand.WithdrawCreation(
                key, asked.createIndex(), caller.principal().getName(), reason, operations.now());
        return operations
                .retryLoop()
                .untilDone(
                        "withdrawal of the creation of volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations
                                .submit(command)
                                .<Void>thenApply(removed -> null)
                                .exceptionallyCompose(failure ->
                                        // An attempt whose answer was lost has removed the volume.
                                        attempt > 1 && VolumeCalls.volumeWasRemoved(Futures.unwrap(failure))
                                                ? CompletableFuture.completedFuture(null)
                                                : CompletableFuture.failedFuture(Futures.unwrap(failure))))
                .thenApply(removed -> withdrawn(operations.state(), asked));
    }

    private static Optional<WithdrawnCreation> withdrawn(StateReader state, Volume asked) {
        return state.withdrawnCreation(new WithdrawnCreation.Key(asked.pluginId(), asked.name()))
                .filter(row -> row.createIndex() == asked.createIndex());
    }
}
