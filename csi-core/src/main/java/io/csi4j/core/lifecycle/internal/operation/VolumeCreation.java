package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.CreationName;
import io.csi4j.core.internal.apply.VolumeMerge;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Takes requests to create volumes. The intent with the volume's name is stored first (R56); the volume's worker makes
 * the calls, and the caller waits for them.
 */
public final class VolumeCreation {
    private final Operations operations;

    public VolumeCreation(Operations operations) {
        this.operations = operations;
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
                                        attempt > 1 && Failures.isVolumeNotFound(Futures.unwrap(failure))
                                                ? CompletableFuture.completedFuture(null)
                                                : CompletableFuture.failedFuture(Futures.unwrap(failure))))
                .thenApply(removed -> withdrawn(operations.state(), asked));
    }

    private static Optional<WithdrawnCreation> withdrawn(StateReader state, Volume asked) {
        return state.withdrawnCreation(new WithdrawnCreation.Key(asked.pluginId(), asked.name()))
                .filter(row -> row.createIndex() == asked.createIndex());
    }
}
