package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.step.VolumeAnswer;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Withdraws requested changes that are not fulfilled yet. */
public final class Withdrawals {
    private final Operations operations;
    private final Confirmation confirmation;
    private final Supplier<Optional<Object>> leadership;

    /**
     * Creates the operations.
     *
     * @param confirmation asks the plugin about a volume
     * @param leadership identifies the current term of leadership; empty if this engine does not lead
     */
    public Withdrawals(Operations operations, Confirmation confirmation, Supplier<Optional<Object>> leadership) {
        this.operations = operations;
        this.confirmation = confirmation;
        this.leadership = leadership;
    }

    /**
     * Gives up a creation that is not finished. Waits for no call: a call in flight may hang, and its answer is recorded
     * when it comes.
     *
     * @return the record of the withdrawn creation; empty if it is certain that nothing was made
     */
    public CompletableFuture<Optional<WithdrawnCreation>> creation(Caller caller, VolumeKey key, String reason) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
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
                                        attempt > 1 && Failures.isVolumeNotFound(Futures.unwrap(failure))
                                                ? CompletableFuture.completedFuture(null)
                                                : CompletableFuture.failedFuture(Futures.unwrap(failure))))
                .thenApply(removed -> creation(operations.state(), asked));
    }

    /** Returns the record of the withdrawn creation of a volume; empty if it was not withdrawn. */
    static Optional<WithdrawnCreation> creation(StateReader state, Volume asked) {
        return state.withdrawnCreation(new WithdrawnCreation.Key(asked.pluginId(), asked.name()))
                .filter(row -> row.createIndex() == asked.createIndex());
    }

    /**
     * Withdraws a deletion. The plugin has to confirm first that the volume exists, because a DeleteVolume call may
     * have lost its response. While the plugin is asked, no call of this engine for the volume is in flight.
     */
    public CompletableFuture<Volume> deletion(Caller caller, VolumeKey key) {
        operations
                .permissions()
                .allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
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
                        ofDeletion(key),
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.volumeCalls().exclusively(key, () -> deletion(caller, asked, attempt)));
    }

    private CompletableFuture<Volume> deletion(Caller caller, Volume asked, int attempt) {
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
        if (VolumeAnswer.isMismatch(volume, operations.ports().options().contentSourceRequired())) {
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
                                        ofDeletion(volume.key()),
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
        return new CsiRequestException(ofDeletion(volume.key()), List.of(new Problem("key", problem, remedy)));
    }

    private static String ofDeletion(VolumeKey key) {
        return "withdrawal of the deletion of volume " + key;
    }

    /**
     * Withdraws the volume's expansion as soon as no call of the expansion is in flight. Has no effect if the volume
     * has no expansion.
     */
    public CompletableFuture<Volume> expansion(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        Volume asked = operations.volume(key);
        Optional<CapacityRange> change = asked.expansion().map(Expansion::range);
        if (change.isEmpty()) {
            return CompletableFuture.completedFuture(asked);
        }
        return operations
                .retryLoop()
                .untilDone(
                        "withdrawal of the expansion of volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        n -> operations.volumeCalls().exclusively(key, () -> expansion(asked, change.get())))
                .thenApply(written -> operations.same(asked, "asked about"));
    }

    /** Withdraws the expansion to the given range. If another expansion has replaced it, nothing is withdrawn. */
    private CompletableFuture<?> expansion(Volume asked, CapacityRange range) {
        Volume volume = operations.same(asked, "asked about");
        Optional<Expansion> change =
                volume.expansion().filter(known -> known.range().equals(range));
        if (change.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (change.get().stage() == Expansion.Stage.NODES) {
            throw alreadyExpanded(volume.key());
        }
        return operations.submit(
                new ChangeCommand.WithdrawExpansion(volume.key(), volume.createIndex(), range, operations.now()));
    }

    private static CsiRequestException alreadyExpanded(VolumeKey key) {
        return new CsiRequestException(
                "withdrawal of the expansion of volume " + key,
                List.of(new Problem(
                        "key",
                        "names a volume that its plugin has expanded: only its nodes have to see to it",
                        "leave it as it is: this holds no claim back, and a volume does not shrink")));
    }
}
