package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.OnlyRow;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.step.VolumeAnswer;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Takes requests to delete volumes at the storage provider. The intent is stored first; the state rejects it while the
 * volume is in use. The volume's worker makes the calls, and removes the row only after the plugin has confirmed the
 * deletion.
 */
public final class VolumeDeletion {
    private final Operations operations;
    private final Confirmation confirmation;
    private final Supplier<Optional<Object>> leadership;

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
        OnlyRow.check(state, volume);
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
}
