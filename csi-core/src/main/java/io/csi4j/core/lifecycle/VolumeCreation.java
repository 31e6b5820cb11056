package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeMerge;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes volumes. The intent with its name is written first (R56); then CreateVolume is repeated with the
 * same fields until it is known whether the volume is there; then it is adopted, or deleted again if it is
 * not what was asked for.
 */
final class VolumeCreation {
    private final Operations operations;
    private final VolumeDeletion deletion;
    private final Supplier<Optional<Object>> leadership;
    /** Of the creations this engine began itself; about any other it knows nothing for certain. */
    private final ConcurrentMap<VolumeKey, Doubt> doubts = new ConcurrentHashMap<>();

    /**
     * The collaborators.
     *
     * @param leadership stands for the time this engine leads; empty while it does not
     */
    VolumeCreation(Operations operations, VolumeDeletion deletion, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.deletion = deletion;
        this.leadership = leadership;
    }

    CompletableFuture<Volume> create(Caller caller, VolumeKey key, VolumeSpec declared) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        VolumeSpec spec = CreationName.declaredWithName(key, declared);
        StateReader state = operations.state();
        check(state, key, spec);
        // Before the intent is written: once it is, the engine's own lane may make the first attempt.
        Doubt doubt = doubts.computeIfAbsent(
                key, k -> new Doubt(state.volume(key).isPresent() ? Optional.empty() : leadership.get()));
        var intent = new VolumeCommand.RegisterVolume(
                key, spec, VolumeOrigin.CREATED, ProviderFacts.none(), operations.now());
        return operations
                .submit(intent)
                .thenCompose(written -> {
                    if (!written.changed()) {
                        doubt.arise();
                    }
                    return drive(caller, key, doubt);
                })
                .whenComplete((created, failure) -> {
                    doubts.remove(key, doubt);
                    doubt.end();
                });
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
        namesake(state, key, spec, problems);
        problems.addAll(offer(state, spec).problems());
        if (!problems.isEmpty()) {
            throw new CsiRequestException("volume " + key, problems);
        }
        state.volume(key).ifPresent(known -> repeat(known, spec));
    }

    /** A creation of a volume that exists is a repeat, or none at all. The state decides; this says so before. */
    private static void repeat(Volume known, VolumeSpec spec) {
        List<Problem> conflicts = VolumeMerge.repeat(known, spec);
        if (!conflicts.isEmpty()) {
            throw new RejectedException(new Rejection.ConflictingFields(known.key(), conflicts));
        }
    }

    /** Two volumes of one name would be one volume at the provider (R51). */
    private static void namesake(StateReader state, VolumeKey key, VolumeSpec spec, List<Problem> problems) {
        if (spec.name().equals(CreationName.of(key))) {
            return;
        }
        for (VolumeKey other : state.volumesOf(spec.pluginId())) {
            boolean same = !other.equals(key)
                    && state.volume(other)
                            .filter(volume -> volume.origin() == VolumeOrigin.CREATED)
                            .filter(volume -> volume.name().equals(spec.name()))
                            .isPresent();
            if (same) {
                problems.add(new Problem(
                        "name",
                        "is " + spec.name() + ", the name of " + other + " of the same plugin",
                        "choose another one, or leave it out"));
            }
        }
    }

    private static PluginOffer offer(StateReader state, VolumeSpec spec) {
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

    /** Repeats the step until the volume is there, or is known never to be. */
    private CompletableFuture<Volume> drive(Caller caller, VolumeKey key, Doubt doubt) {
        return operations
                .repetition()
                .untilDone(
                        "creation of volume " + key,
                        Repetition.Stored.INTENT,
                        attempt -> step(caller, key, attempt, doubt));
    }

    /**
     * One attempt at what is left to do for a volume that is CREATING, in its turn. Also the planner's
     * step, for an intent that is found in the state.
     */
    CompletableFuture<Volume> step(VolumeKey key, int attempt) {
        return step(Caller.ENGINE, key, attempt, doubts.getOrDefault(key, new Doubt(Optional.empty())));
    }

    /** The planner's step, which leaves the volume to an operation of this engine while there is one. */
    CompletableFuture<?> resume(VolumeKey key) {
        Doubt driven = doubts.get(key);
        return driven == null ? operations.takeOver(key).thenCompose(marked -> step(key, 1)) : driven.over();
    }

    private CompletableFuture<Volume> step(Caller caller, VolumeKey key, int attempt, Doubt doubt) {
        return operations.turns().in(key, () -> {
            Volume volume = operations.volume(key);
            if (volume.phase() == VolumePhase.AVAILABLE) {
                return CompletableFuture.completedFuture(volume);
            }
            if (volume.phase() == VolumePhase.DELETING) {
                throw new RejectedException(new Rejection.WrongPhase(key, volume.phase(), VolumePhase.AVAILABLE));
            }
            return send(caller, volume, attempt)
                    .thenCompose(answer -> answered(caller, volume, answer.volume(), doubt))
                    .exceptionallyCompose(failure -> failed(volume, Failures.of(failure), doubt));
        });
    }

    /** CreateVolume with what is stored: the same each time (R29). */
    CompletableFuture<CreateVolumeResponse> send(Caller caller, Volume volume, int attempt) {
        return operations.secrets(caller, volume, Rpc.CREATE_VOLUME).thenCompose(secrets -> {
            CreateVolumeRequest request = RequestFactory.create(volume, secrets);
            return operations.calls().controller(CallSubject.of(Rpc.CREATE_VOLUME, volume, attempt), controller -> {
                operations.intended(volume);
                return controller.createVolume(request);
            });
        });
    }

    private CompletableFuture<Volume> answered(Caller caller, Volume volume, ExternalVolume answer, Doubt doubt) {
        // It is there, even if that cannot be written down now.
        doubt.arise();
        return VolumeAnswer.problem(
                        volume.spec(),
                        VolumeAnswer.facts(answer),
                        operations.ports().options().contentSourceRequired())
                .map(problem -> undo(caller, volume, answer, problem))
                .orElseGet(() -> adopt(volume, answer));
    }

    private CompletableFuture<Volume> adopt(Volume volume, ExternalVolume answer) {
        var facts = new VolumeCommand.RecordProviderFacts(
                volume.key(), VolumeAnswer.facts(answer), volume.createIndex(), operations.now());
        return operations
                .submit(facts)
                .thenApply(written -> operations.volume(volume.key()))
                .exceptionallyCompose(failure -> refused(volume, answer, Failures.of(failure)));
    }

    /** The provider's volume is another one's here: it is neither adopted nor deleted, and the intent goes. */
    private <R> CompletableFuture<R> refused(Volume volume, ExternalVolume answer, Throwable failure) {
        if (failure instanceof RejectedException rejected && taken(rejected.reason())) {
            return operations
                    .submitUnlessChanged(new VolumeCommand.DeregisterVolume(
                            volume.key(), true, volume.modifyIndex(), operations.now()))
                    .thenCompose(removed -> CompletableFuture.failedFuture(rejected));
        }
        if (failure instanceof RejectedException rejected && rejected.reason() instanceof Rejection.VolumeNotFound) {
            return CompletableFuture.failedFuture(new CsiException(
                    "volume " + volume.key() + " was forgotten while it was being created; the provider has it as "
                            + answer.volumeId() + ": register that one, or delete it there",
                    rejected));
        }
        return CompletableFuture.failedFuture(failure);
    }

    private static boolean taken(Rejection reason) {
        return reason instanceof Rejection.ExternalIdTaken
                || (reason instanceof Rejection.InBatch batch && taken(batch.cause()));
    }

    /**
     * What came is not what was asked for. Its id is written with the intent to delete it, so that a crash
     * leaks nothing; then it is deleted.
     */
    private CompletableFuture<Volume> undo(Caller caller, Volume volume, ExternalVolume answer, String problem) {
        VolumeKey key = volume.key();
        var intent = new Batch(
                List.of(
                        new VolumeCommand.SetVolumePhase(
                                key, VolumePhase.DELETING, volume.modifyIndex(), operations.now()),
                        new VolumeCommand.RecordProviderFacts(
                                key, VolumeAnswer.facts(answer), volume.createIndex(), operations.now())),
                operations.now());
        return operations
                .submitUnlessChanged(intent)
                .exceptionallyCompose(failure -> refused(volume, answer, Failures.of(failure)))
                .thenCompose(written -> deletion.inTurn(caller, key, 1)
                        .handle((done, undone) -> wrong(key, problem, undone))
                        .thenCompose(CompletableFuture::failedFuture));
    }

    private static WrongAnswerException wrong(VolumeKey key, String problem, @Nullable Throwable undone) {
        WrongAnswerException wrong = new WrongAnswerException(
                Rpc.CREATE_VOLUME,
                "volume " + key,
                problem
                        + (undone == null
                                ? "; it was deleted again"
                                : "; it is being deleted, repeat the deletion to see"));
        if (undone != null) {
            wrong.addSuppressed(Failures.of(undone));
        }
        return wrong;
    }

    private CompletableFuture<Volume> failed(Volume volume, Throwable failure, Doubt doubt) {
        CallOutcome outcome = Failures.outcome(failure);
        boolean sent = !(failure instanceof NoControllerException);
        if (sent && outcome == CallOutcome.OUTCOME_UNKNOWN) {
            doubt.arise();
        }
        boolean never = outcome == CallOutcome.CHANGE_REQUEST || outcome == CallOutcome.NEVER;
        // Somebody touched it since the intent was written: another server goes on with it, and may have made it.
        boolean touched = volume.modifyIndex() != volume.createIndex();
        if (!never || touched || !doubt.isRuledOut(leadership.get())) {
            return CompletableFuture.failedFuture(failure);
        }
        // Every attempt was refused for certain: nothing can be there, and the intent goes. Not if the volume was
        // touched:
        // then another server is at it, or was.
        CompletableFuture<Outcome.Accepted> gone = operations.submitUnlessChanged(
                new VolumeCommand.DeregisterVolume(volume.key(), true, volume.modifyIndex(), operations.now()));
        return gone.thenCompose(removed -> CompletableFuture.failedFuture(failure));
    }
}
