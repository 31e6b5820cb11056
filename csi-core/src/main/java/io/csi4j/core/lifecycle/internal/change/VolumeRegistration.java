package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.apply.VolumeMerge;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.OnlyRow;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Registers volumes that exist at the storage provider, and changes specifications of volumes. A specification is
 * stored only if the engine accepts it, and then a healthy instance of the plugin answers: its controller confirms the
 * volume (R69), or, if the plugin has no controller service, an instance on a node says which driver it is (R37). Nothing
 * is stored before the answer. The declaration of a volume that is being created or deleted asks nothing, because its
 * own calls do.
 */
public final class VolumeRegistration {
    private final Operations operations;
    private final Confirmation confirmation;

    /**
     * Creates the operations.
     *
     * @param confirmation asks the plugin about a volume
     */
    public VolumeRegistration(Operations operations, Confirmation confirmation) {
        this.operations = operations;
        this.confirmation = confirmation;
    }

    /** A volume of a provider. */
    private record Remote(PluginId pluginId, ExternalVolumeId id) {}

    public CompletableFuture<Volume> register(Caller caller, VolumeKey key, VolumeSpec spec) {
        allow(caller, key, spec);
        if (!spec.problems().isEmpty()) {
            throw new CsiRequestException("volume " + key, spec.problems());
        }
        StateReader state = operations.state();
        PluginOffer offer = PluginOffer.of(state, spec.pluginId()).check("volume " + key);
        Volume candidate = candidate(state, key, spec);
        OnlyRow.check(state, candidate);
        boolean controller = offer.has(PluginService.CONTROLLER_SERVICE);
        CompletableFuture<Optional<String>> answered = candidate.phase() == VolumePhase.AVAILABLE
                ? operations
                        .retryLoop()
                        .untilDone(
                                "check of volume " + key,
                                RetryLoop.Stored.NOTHING,
                                n -> operations
                                        .volumeCalls()
                                        .exclusively(key, () -> askAlone(caller, candidate, controller, n)))
                : CompletableFuture.completedFuture(Optional.empty());
        return answered.thenCompose(driver -> {
                    // The row may have been removed while the plugin was asked.
                    allow(caller, key, spec);
                    return operations.submit(new VolumeCommand.RegisterVolume(
                            key, spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), operations.now(), driver));
                })
                .thenApply(Operations::stored);
    }

    /** Asks while no other registration asks about the same volume of the provider under another key. */
    private CompletableFuture<Optional<String>> askAlone(
            Caller caller, Volume volume, boolean controller, int attempt) {
        return operations
                .volumeCalls()
                .exclusively(
                        new Remote(volume.pluginId(), volume.remoteId()),
                        () -> ask(caller, volume, controller, attempt));
    }

    /**
     * Asks an instance of the plugin.
     *
     * @return the name of the driver that answered; empty if it is not known. Fails at once if no instance is healthy
     */
    private CompletableFuture<Optional<String>> ask(Caller caller, Volume volume, boolean controller, int attempt) {
        StateReader state = operations.state();
        ConfirmingInstances instances =
                new ConfirmingInstances(state, operations.ports().trust(), volume.pluginId());
        if (controller) {
            if (!instances.controller()) {
                throw instances.refusal(volume, true);
            }
            Optional<String> driver = state.facts(volume.pluginId())
                    .flatMap(PluginFacts::provider)
                    .filter(name -> !name.isEmpty());
            return confirm(caller, volume, attempt).thenApply(confirmed -> driver);
        }
        List<NodeId> nodes = instances.nodes();
        if (nodes.isEmpty()) {
            throw instances.refusal(volume, false);
        }
        return confirmation.driver(volume, nodes, attempt);
    }

    /**
     * Checks the permissions. A change of a registered volume needs VOLUME_WRITE. A new row may stand for any volume of
     * the provider, and a new context may lead a plugin to another volume, so both need MANAGEMENT.
     */
    private void allow(Caller caller, VolumeKey key, VolumeSpec spec) {
        operations
                .permissions()
                .allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        Optional<Volume> known = operations.state().volume(key);
        boolean sameContext = spec.volumeContext().isEmpty()
                || known.filter(volume -> spec.volumeContext().equals(volume.volumeContext()))
                        .isPresent();
        if (known.isEmpty() || !sameContext) {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        }
    }

    /** Returns the volume as it would be with the new specification. */
    private Volume candidate(StateReader state, VolumeKey key, VolumeSpec spec) {
        Optional<Volume> known = state.volume(key);
        if (known.isEmpty()) {
            return Volume.builder(key, spec, state.index(), operations.now()).build();
        }
        VolumeMerge merge = VolumeMerge.of(known.get(), spec);
        if (!merge.conflicts().isEmpty()) {
            throw new RejectedException(new Rejection.ConflictingFields(key, merge.conflicts()));
        }
        return known.get().toBuilder().spec(merge.merged()).build();
    }

    private CompletableFuture<Void> confirm(Caller caller, Volume volume, int attempt) {
        return confirmation
                .of(caller, volume, attempt)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Failures.code(failure) == StatusCode.NOT_FOUND
                                ? unknownVolume(volume)
                                : Futures.unwrap(failure)));
    }

    /** Returns the failure for a volume that the plugin does not know. A retry cannot help. */
    private static CsiRequestException unknownVolume(Volume volume) {
        boolean fromKey = volume.spec()
                .externalVolumeId()
                .or(volume.facts()::externalVolumeId)
                .isEmpty();
        return CsiRequestException.afterQuestion(
                "volume " + volume.key(),
                List.of(new Problem(
                        "externalVolumeId",
                        (fromKey ? "is left out, so it is the volume id " : "is ") + volume.remoteId() + ", and plugin "
                                + volume.pluginId() + " has no such volume",
                        "correct it, or create the volume; volumes().listExternal lists those of the plugin")));
    }

    public CompletableFuture<Void> deregister(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
        return remove("deregistration of volume " + key, key, now -> {
            if (now.filter(volume -> volume.phase() == VolumePhase.DELETING).isPresent()) {
                throw new RejectedException(new Rejection.DeletionUnfinished(key));
            }
            return new VolumeCommand.DeregisterVolume(key, false, readIndex(now), operations.now());
        });
    }

    /** Removes a volume at the word of an operator; the state keeps what the volume may have left on nodes. */
    public CompletableFuture<Void> forget(Caller caller, VolumeKey key, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        // The constructor rejects an empty reason before anything is submitted.
        OperatorOverride word = new OperatorOverride(caller.principal().getName(), reason, operations.now());
        return remove(
                "removal of volume " + key + " by an operator",
                key,
                now -> new VolumeCommand.ForgetVolume(
                        key, readIndex(now), word.operator(), word.reason(), operations.now()));
    }

    private static long readIndex(Optional<Volume> now) {
        return now.map(Volume::modifyIndex).orElse(Long.MAX_VALUE);
    }

    /**
     * Removes a volume from the state. The command names the volume that was read, because another volume may have the
     * key when the command is applied.
     */
    private CompletableFuture<Void> remove(
            String what, VolumeKey key, Function<Optional<Volume>, VolumeCommand> command) {
        Optional<Long> asked = operations.state().volume(key).map(Volume::createIndex);
        return operations.retryLoop().untilDone(what, RetryLoop.Stored.UNCERTAIN, attempt -> {
            Optional<Volume> now = operations.state().volume(key);
            boolean another = asked.isPresent()
                    && now.filter(volume -> volume.createIndex() != asked.get()).isPresent();
            if (another) {
                // An earlier attempt has removed the volume, although the log did not confirm it. The volume that has
                // the key now was registered later and is not removed.
                return CompletableFuture.completedFuture(null);
            }
            return operations.submitUnlessChanged(command.apply(now)).thenApply(removed -> null);
        });
    }
}
