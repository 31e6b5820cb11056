package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingExpansion;
import io.csi4j.core.lifecycle.internal.call.PendingExpansions;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Takes requests to expand volumes. The request is stored first. Then the volume's worker has the controller expand the
 * volume (R82), and its new size is stored at once. Afterwards each claim's node expands the volume independently (R83,
 * R94). If a step is interrupted, the planner resumes it.
 */
public final class VolumeExpander {
    private final Operations operations;
    private final PendingExpansions nodes;

    public VolumeExpander(Operations operations) {
        this.operations = operations;
        this.nodes = operations.pendingExpansions();
    }

    public CompletableFuture<ExpandResult> expand(Caller caller, VolumeKey key, CapacityRange range) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        Volume volume = operations.available(key);
        boolean repeat = volume.spec().capacityRange().equals(Optional.of(range))
                && !volume.claims().isEmpty();
        boolean due = range.requiredBytes() > volume.facts().capacityBytes() || (repeat && range.requiredBytes() > 0);
        if (!due) {
            return operations
                    .run(
                            "expansion of volume " + key,
                            () -> operations
                                    .retryLoop()
                                    .untilDone(
                                            "intent to expand volume " + key,
                                            RetryLoop.Stored.UNCERTAIN,
                                            n -> storeRange(key, range)))
                    .thenApply(stillRequested ->
                            new ExpandResult(stillRequested, CompletableFuture.completedFuture(List.of())));
        }
        checkPluginExpands(state, volume);
        PendingOperation<Volume> growth = operations
                .pending()
                .begin(
                        caller,
                        key,
                        now -> now.expansionTo(range, Expansion.Stage.CONTROLLER)
                                .isPresent());
        PendingExpansion change = nodes.begin(caller, volume, range);
        CompletableFuture<ExpandResult> work = operations
                .retryLoop()
                .untilDone(
                        "intent to expand volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        n -> operations.submit(new ChangeCommand.BeginExpansion(key, range, operations.now())))
                .thenCompose(begun -> operations.pending().await(growth, now -> expandedVolume(now, volume, range)))
                .thenApply(grown -> new ExpandResult(grown, nodes.await(change, grown)));
        return growth.limited("expansion of volume " + key, work).whenComplete((result, failure) -> {
            if (failure != null) {
                growth.abandon(failure);
                nodes.end(change);
            }
        });
    }

    /**
     * Withdraws the volume's expansion as soon as no call of the expansion is in flight. Has no effect if the volume
     * has no expansion.
     */
    public CompletableFuture<Volume> withdraw(Caller caller, VolumeKey key) {
        operations.allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
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
                        n -> operations.callQueues().exclusively(key, () -> withdraw(asked, change.get())))
                .thenApply(written -> operations.same(asked, "asked about"));
    }

    /** Withdraws the expansion to the given range. If another expansion has replaced it, nothing is withdrawn. */
    private CompletableFuture<?> withdraw(Volume asked, CapacityRange range) {
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

    /** Checks that the plugin expands volumes, by its controller or on the node (R42). */
    private static void checkPluginExpands(StateReader state, Volume volume) {
        PluginOffer offer = PluginOffer.of(state, volume.pluginId());
        boolean byNode = offer.knownWithout(ControllerCapability.EXPAND_VOLUME) && offer.nodeExpands();
        if (!byNode) {
            offer.needs(ControllerCapability.EXPAND_VOLUME, "expanding volumes");
        }
        if (PluginOffer.blocksExpansion(state, volume)) {
            offer.refuse(
                    "is " + volume.pluginId() + ", which expands volumes only while they are not in use (R82)",
                    "release the claims of the volume first");
        }
        offer.check("expansion of volume " + volume.key());
    }

    /** Stores a range that the volume's current size already fulfils. */
    private CompletableFuture<Volume> storeRange(VolumeKey key, CapacityRange range) {
        Volume volume = operations.volume(key);
        var command = new VolumeCommand.UpdateVolume(
                key, volume.spec().toBuilder().capacityRange(range).build(), volume.modifyIndex(), operations.now());
        return operations.submitUnlessChanged(command).thenApply(written -> operations.volume(key));
    }

    /** Returns the volume if the controller has expanded it enough; empty while the expansion is in progress. */
    private static Optional<Volume> expandedVolume(StateReader state, Volume asked, CapacityRange range) {
        Volume volume = Operations.same(state, asked, "expanded");
        Optional<Expansion> expansion = volume.expansion().filter(known -> known.stage() == Expansion.Stage.CONTROLLER);
        if (expansion.isEmpty()) {
            return Optional.of(volumeIfFulfilled(volume, range));
        }
        if (isReplacedAndFulfilled(volume, expansion.get(), range)) {
            return Optional.of(volume);
        }
        failIfRefused(expansion.get().retry());
        try {
            checkPluginExpands(state, volume);
        } catch (CsiRequestException e) {
            // The volume was claimed in the meantime, or its plugin has changed. The stored request to expand stays.
            throw new UnfinishedException("expansion of volume " + volume.key() + " waits: " + e.getMessage(), e);
        }
        return Optional.empty();
    }

    /**
     * Checks the size of a volume after the last call to its controller to expand it. Returns the volume if it fulfils
     * the requested range.
     *
     * @throws RefusedException if the volume does not fulfil the range, because the expansion was withdrawn, or
     *     replaced by an expansion to another size
     */
    private static Volume volumeIfFulfilled(Volume volume, CapacityRange range) {
        boolean fulfilled = volume.facts().capacityBytes() >= range.requiredBytes()
                || volume.spec().capacityRange().equals(Optional.of(range));
        if (!fulfilled) {
            throw new RefusedException(
                    new CsiException("this request was withdrawn, or replaced by one for another size"));
        }
        return volume;
    }

    /**
     * Returns true if a newer expansion replaced the requested one and the volume already has the requested size.
     * Returns false if the current expansion is the requested one.
     *
     * @throws UnfinishedException if a newer expansion replaced the requested one and the volume does not have the
     *     requested size yet
     */
    private static boolean isReplacedAndFulfilled(Volume volume, Expansion change, CapacityRange range) {
        if (change.range().equals(range)) {
            return false;
        }
        if (volume.facts().capacityBytes() >= range.requiredBytes()) {
            return true;
        }
        throw new UnfinishedException(
                "expansion of volume " + volume.key() + " waits for a newer one",
                new CsiException("another size was asked for meanwhile"));
    }

    /**
     * Fails if the plugin has refused the expansion; a refused expansion is not retried.
     *
     * @throws RefusedException if the expansion was refused
     */
    static void failIfRefused(Retry retry) {
        if (retry.refused()) {
            throw new RefusedException(new CsiException(retry.lastError().orElse("it was refused")));
        }
    }
}
