package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Deletes volumes at the provider. The intent is written first, and refused while the volume is in use; the
 * record goes only once the provider said that the volume is gone.
 */
final class VolumeDeletion {
    private final Operations operations;
    private final Confirmation confirmation;
    private final Supplier<Optional<Object>> leadership;
    /** Of the deletions this engine began itself; about any other it knows nothing for certain. */
    private final ConcurrentMap<VolumeKey, Doubt> doubts = new ConcurrentHashMap<>();

    /**
     * The collaborators.
     *
     * @param confirmation how the plugin is asked about a volume
     * @param leadership stands for the time this engine leads; empty while it does not
     */
    VolumeDeletion(Operations operations, Confirmation confirmation, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.confirmation = confirmation;
        this.leadership = leadership;
    }

    CompletableFuture<Void> delete(Caller caller, VolumeKey key) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        Volume volume = operations.volume(key);
        PluginOffer.of(state, volume.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_VOLUME, "deleting volumes")
                .check("deletion of volume " + key);
        alias(state, volume);
        // Before the intent is written: once it is, the engine's own lane may make the first attempt.
        Doubt doubt = doubts.computeIfAbsent(
                key, k -> new Doubt(volume.phase() == VolumePhase.AVAILABLE ? leadership.get() : Optional.empty()));
        return operations
                .repetition()
                .untilDone("intent to delete volume " + key, Repetition.Stored.UNCERTAIN, attempt -> intend(volume))
                .thenCompose(written -> {
                    if (written.changed()) {
                        doubt.intended(index(written));
                    } else {
                        doubt.arise();
                    }
                    return operations
                            .repetition()
                            .untilDone(
                                    "deletion of volume " + key,
                                    Repetition.Stored.INTENT,
                                    attempt -> step(caller, key, attempt));
                })
                .whenComplete((done, failure) -> doubts.remove(key, doubt));
    }

    private static long index(Outcome.Accepted written) {
        return written.effects().stream()
                .filter(Effect.VolumeStored.class::isInstance)
                .map(Effect.VolumeStored.class::cast)
                .mapToLong(stored -> stored.volume().modifyIndex())
                .findFirst()
                .orElse(Doubt.NOT_KNOWN);
    }

    /** Only that volume: the command may come through when another one has its key. */
    private CompletableFuture<Outcome.Accepted> intend(Volume asked) {
        Volume volume = operations.same(asked, "deleted");
        return operations.submitUnlessChanged(new VolumeCommand.SetVolumePhase(
                volume.key(), VolumePhase.DELETING, volume.modifyIndex(), operations.now()));
    }

    /** Deleting a volume that goes by two names would take it from the other one (N9). */
    private static void alias(StateReader state, Volume volume) {
        volume.externalVolumeId()
                .flatMap(id -> state.volumeByExternalId(volume.pluginId(), id))
                .filter(holder -> !holder.equals(volume.key()))
                .ifPresent(holder -> {
                    throw new RejectedException(
                            new Rejection.ExternalIdTaken(volume.key(), volume.pluginId(), volume.remoteId(), holder));
                });
    }

    /**
     * One attempt at what is left to do for a volume that is DELETING, in its turn. Also the planner's step,
     * for an intent that is found in the state.
     */
    CompletableFuture<Void> step(VolumeKey key, int attempt) {
        return step(Caller.ENGINE, key, attempt);
    }

    /** The planner's step. What another engine began is taken over first. */
    CompletableFuture<Void> resume(VolumeKey key) {
        return doubts.containsKey(key) ? step(key, 1) : operations.takeOver(key).thenCompose(marked -> step(key, 1));
    }

    private CompletableFuture<Void> step(Caller caller, VolumeKey key, int attempt) {
        return operations.turns().in(key, () -> inTurn(caller, key, attempt));
    }

    /** The same, for who has the turn already. */
    CompletableFuture<Void> inTurn(Caller caller, VolumeKey key, int attempt) {
        Optional<Volume> known = operations.state().volume(key);
        if (known.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Volume volume = known.get();
        if (volume.phase() == VolumePhase.AVAILABLE) {
            throw new RefusedException(new CsiException("the deletion of volume " + key + " was withdrawn"));
        }
        if (volume.phase() != VolumePhase.DELETING) {
            throw new RejectedException(new Rejection.WrongPhase(key, volume.phase(), VolumePhase.DELETING));
        }
        return volume.externalVolumeId().isPresent()
                ? deleteKnown(caller, volume, attempt)
                : find(caller, volume, attempt).thenCompose(found -> inTurn(caller, key, attempt));
    }

    /**
     * Nobody knows the id of a volume whose creation was interrupted, and CreateVolume has no opposite without
     * it (R30): the same request again tells it, or makes what can then be deleted (R56).
     */
    private CompletableFuture<Void> find(Caller caller, Volume volume, int attempt) {
        return operations
                .secrets(caller, volume, Rpc.CREATE_VOLUME)
                .thenCompose(secrets -> {
                    CreateVolumeRequest request = RequestFactory.create(volume, secrets);
                    return operations
                            .calls()
                            .controller(CallSubject.of(Rpc.CREATE_VOLUME, volume, attempt), controller -> {
                                operations.intended(volume);
                                return controller.createVolume(request);
                            });
                })
                .thenCompose(answer -> operations.submit(new VolumeCommand.RecordProviderFacts(
                        volume.key(), VolumeAnswer.facts(answer.volume()), volume.createIndex(), operations.now())))
                .exceptionallyCompose(failure -> Failures.of(failure) instanceof RejectedException rejected
                                && rejected.reason() instanceof Rejection.ExternalIdTaken
                        // The provider's volume is another one's here; of this one there is only the record.
                        ? operations.submitUnlessChanged(new VolumeCommand.DeregisterVolume(
                                volume.key(), true, volume.modifyIndex(), operations.now()))
                        : CompletableFuture.failedFuture(Failures.of(failure)))
                .thenApply(done -> null);
    }

    private CompletableFuture<Void> deleteKnown(Caller caller, Volume volume, int attempt) {
        alias(operations.state(), volume);
        return operations
                .secrets(caller, volume, Rpc.DELETE_VOLUME)
                .thenCompose(secrets -> {
                    DeleteVolumeRequest request = RequestFactory.delete(volume, secrets);
                    return operations
                            .calls()
                            .<DeleteVolumeResponse>controller(
                                    CallSubject.of(Rpc.DELETE_VOLUME, volume, attempt), controller -> {
                                        operations.intended(volume);
                                        return controller.deleteVolume(request);
                                    });
                })
                .thenCompose(answer -> forget(volume))
                .exceptionallyCompose(failure -> failed(volume, Failures.of(failure)));
    }

    private CompletableFuture<Void> forget(Volume volume) {
        return operations
                .submitUnlessChanged(
                        new VolumeCommand.DeregisterVolume(volume.key(), false, volume.modifyIndex(), operations.now()))
                .thenApply(removed -> null);
    }

    /**
     * Takes a deletion back. A call may have been made for it and lost its answer, so that the provider has to confirm
     * the volume first, in its turn: no call of this engine is in flight then.
     */
    CompletableFuture<Volume> withdraw(Caller caller, VolumeKey key) {
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
                .repetition()
                .untilDone(
                        withdrawalOf(key),
                        Repetition.Stored.UNCERTAIN,
                        attempt -> operations.turns().in(key, () -> withdraw(caller, asked, attempt)));
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
                    "let the deletion finish, or deregister the volume by force");
        }
        if (neverWanted(volume)) {
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
                                : Failures.of(failure)))
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

    /** Asks the plugin whether it has a volume with all that is declared. */
    @FunctionalInterface
    interface Confirmation {
        /** Fails with NOT_FOUND if it has not. */
        CompletableFuture<Void> of(Caller caller, Volume volume, int attempt);
    }

    /** It was made, and is not what was asked for: it must not come back for anybody to claim. */
    private boolean neverWanted(Volume volume) {
        return volume.origin() == VolumeOrigin.CREATED
                && VolumeAnswer.problem(
                                volume.spec(),
                                volume.facts(),
                                operations.ports().options().contentSourceRequired())
                        .isPresent();
    }

    /**
     * A clear no leaves the volume as it was (R60), if no attempt before it may have deleted it; everything else leaves
     * the intent, and is tried again.
     */
    private CompletableFuture<Void> failed(Volume volume, Throwable failure) {
        CallOutcome outcome = Failures.outcome(failure);
        Doubt doubt = doubts.getOrDefault(volume.key(), new Doubt(Optional.empty()));
        boolean sent = !(failure instanceof NoControllerException);
        if (sent && outcome == CallOutcome.OUTCOME_UNKNOWN) {
            doubt.arise();
        }
        boolean refused = Failures.code(failure) == StatusCode.FAILED_PRECONDITION
                || outcome == CallOutcome.CHANGE_REQUEST
                || outcome == CallOutcome.NEVER;
        // Somebody touched it since the intent was written: another server goes on with it, and may have deleted it.
        boolean touched = volume.modifyIndex() != doubt.intent();
        if (!refused || neverWanted(volume) || touched || !doubt.isRuledOut(leadership.get())) {
            return CompletableFuture.failedFuture(failure);
        }
        return operations
                .submitUnlessChanged(new VolumeCommand.SetVolumePhase(
                        volume.key(), VolumePhase.AVAILABLE, volume.modifyIndex(), operations.now()))
                .thenCompose(back -> CompletableFuture.failedFuture(new RefusedException(failure)));
    }
}
