package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Changes mutable parameters (R74). The wish is written first; the parameters are declared once the plugin took
 * them, for a refusal means that nothing was applied. The planner goes on with what whoever asked leaves undone.
 *
 * <p>A refusal ends the wish only if every call for it is known to have been refused: where another server may have
 * called for it, or a call was not answered, it is told to who asked, and tried again.
 */
final class VolumeModification {
    private final Operations operations;
    private final OwnWishes own;

    /**
     * The collaborators.
     *
     * @param leadership stands for the time this engine leads; empty while it does not
     */
    VolumeModification(Operations operations, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.own = new OwnWishes(leadership);
    }

    CompletableFuture<Volume> modify(Caller caller, VolumeKey key, Map<String, String> changes) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        Map<String, String> wanted = new LinkedHashMap<>(changes);
        Volume volume = operations.available(key);
        PluginOffer.of(operations.state(), volume.pluginId())
                .needs(ControllerCapability.MODIFY_VOLUME, "changing volumes")
                .check("change of volume " + key);
        // Its checks come before the wish is on record: one that no call can be made for would never be fulfilled.
        var unused = RequestFactory.modify(volume, wanted, Secrets.empty());
        return operations
                .repetition()
                .untilDone(
                        "intent to change volume " + key,
                        Repetition.Stored.UNCERTAIN,
                        n -> own.write(
                                key,
                                () -> operations.submit(
                                        new ChangeCommand.BeginModification(key, wanted, operations.now()))))
                .thenCompose(begun -> operations
                        .repetition()
                        .untilDone(
                                "change of volume " + key,
                                Repetition.Stored.INTENT,
                                n -> step(caller, volume, wanted)));
    }

    /** One attempt by whoever asked, unless somebody else was faster. */
    private CompletableFuture<Volume> step(Caller caller, Volume asked, Map<String, String> wanted) {
        VolumeKey key = asked.key();
        return operations.turns().in(key, () -> {
            Volume volume = operations.same(asked, "changed");
            if (done(volume, wanted)) {
                return CompletableFuture.completedFuture(volume);
            }
            Modification wish = volume.modification()
                    .filter(known -> known.changes().entrySet().containsAll(wanted.entrySet()))
                    .orElseThrow(() -> new RefusedException(
                            new CsiException("another change of the same parameters took the place of this one")));
            VolumeExpander.refused(wish.retry());
            return attempt(caller, volume, wish)
                    .thenCompose(Attempted::result)
                    .thenApply(done -> operations.same(asked, "changed"));
        });
    }

    private static boolean done(Volume volume, Map<String, String> wanted) {
        return volume.spec().mutableParameters().entrySet().containsAll(wanted.entrySet())
                && volume.modification()
                        .filter(wish -> !Collections.disjoint(wish.changes().keySet(), wanted.keySet()))
                        .isEmpty();
    }

    /** The planner's step: what came of it is on record when the future is complete. */
    CompletableFuture<?> resume(VolumeKey key) {
        return own.written(key)
                .thenCompose(written -> operations.turns().in(key, () -> {
                    Optional<Volume> volume = operations.state().volume(key);
                    Optional<Modification> wish = volume.flatMap(Volume::modification)
                            .filter(known -> !known.retry().refused());
                    return volume.isEmpty() || wish.isEmpty() || volume.get().phase() != VolumePhase.AVAILABLE
                            ? CompletableFuture.completedFuture(null)
                            : attempt(Caller.ENGINE, volume.get(), wish.get());
                }));
    }

    private CompletableFuture<Attempted<ControllerModifyVolumeResponse>> attempt(
            Caller caller, Volume volume, Modification wish) {
        return mine(volume, wish)
                .thenCompose(mine -> Attempted.of(
                                operations,
                                () -> send(caller, volume, mine).whenComplete((answer, failure) -> {
                                    if (failure != null) {
                                        failed(volume.key(), mine, Failures.of(failure));
                                    }
                                }),
                                records(volume, mine))
                        .whenComplete((attempted, failure) ->
                                operations.state().volume(volume.key()).ifPresent(own::settled)));
    }

    private Attempted.Records<ControllerModifyVolumeResponse> records(Volume volume, Modification wish) {
        VolumeKey key = volume.key();
        return new Attempted.Records<>(
                answer -> new ChangeCommand.RecordModified(
                        key, volume.createIndex(), wish.index(), wish.changes(), operations.now()),
                attempt -> new ChangeCommand.RecordModificationError(key, wish.index(), attempt, operations.now()),
                wish.retry(),
                () -> own.mayBelieve(key, wish));
    }

    private void failed(VolumeKey key, Modification wish, Throwable failure) {
        if (!(failure instanceof NoControllerException) && Failures.outcome(failure) == CallOutcome.OUTCOME_UNKNOWN) {
            own.doubt(key, wish);
        }
    }

    /** The wish as this engine's own: one that another wrote is taken over first, so that the other knows. */
    private CompletableFuture<Modification> mine(Volume volume, Modification wish) {
        VolumeKey key = volume.key();
        if (own.has(key, wish)) {
            return CompletableFuture.completedFuture(wish);
        }
        return own.write(
                        key,
                        () -> operations.submit(
                                new ChangeCommand.TakeOverModification(key, wish.index(), operations.now())))
                .thenApply(written -> operations
                        .same(volume, "changed")
                        .modification()
                        .filter(now -> own.has(key, now))
                        .orElseThrow(() -> new OvertakenException(key)));
    }

    private CompletableFuture<ControllerModifyVolumeResponse> send(Caller caller, Volume volume, Modification wish) {
        return operations.secrets(caller, volume, Rpc.CONTROLLER_MODIFY_VOLUME).thenCompose(secrets -> {
            ControllerModifyVolumeRequest request = RequestFactory.modify(volume, wish.changes(), secrets);
            return operations
                    .calls()
                    .controller(
                            CallSubject.of(
                                    Rpc.CONTROLLER_MODIFY_VOLUME,
                                    volume,
                                    wish.retry().attempts() + 1),
                            controller -> {
                                operations.wished(
                                        volume,
                                        now -> now.modification()
                                                .filter(known -> known.index() == wish.index()
                                                        && known.changes().equals(wish.changes()))
                                                .isPresent());
                                return controller.controllerModifyVolume(request);
                            });
        });
    }
}
