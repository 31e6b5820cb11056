package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.CreationName;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.apply.SourceSnapshot;
import io.csi4j.core.internal.apply.VolumeMerge;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A request to create a volume. The intent has the volume's name (R56). */
public record CreateRequest(VolumeKey key, VolumeSpec spec) implements ChangeRequest<Volume> {
    @Override
    public String noun() {
        return "creation";
    }

    @Override
    public String verb() {
        return "create";
    }

    @Override
    public boolean include(CallTarget target, Volume volume) {
        return target instanceof CallTarget.OfVolume call && call.phase() == VolumePhase.CREATING;
    }

    @Override
    public Optional<Volume> check(StateReader state) {
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
        if (state.volume(key).isEmpty()) {
            problems.addAll(SourceSnapshot.problems(state, spec));
        }
        problems.addAll(requiredCapabilities(state).problems());
        if (!problems.isEmpty()) {
            throw new CsiRequestException("volume " + key, problems);
        }
        state.volume(key).ifPresent(this::checkEqualToExisting);
        return Optional.empty();
    }

    /**
     * Rejects the creation of an existing volume if a field differs. The state would reject the command too; this check
     * avoids submitting it.
     */
    private void checkEqualToExisting(Volume known) {
        List<Problem> conflicts = VolumeMerge.repeat(known, spec);
        if (!conflicts.isEmpty()) {
            throw new RejectedException(new Rejection.ConflictingFields(known.key(), conflicts));
        }
    }

    private PluginOffer requiredCapabilities(StateReader state) {
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
        if (spec.sourceSnapshot().isPresent()) {
            offer.needs(ControllerCapability.CREATE_DELETE_SNAPSHOT, "sourceSnapshot");
        }
        return offer;
    }

    @Override
    public Command intent(StateReader state, Optional<Volume> asked, Instant now) {
        return new VolumeCommand.RegisterVolume(key, spec, VolumeOrigin.CREATED, ProviderFacts.none(), now);
    }

    /** Returns false: the volume may have been created and deleted meanwhile, and must not be created once more. */
    @Override
    public boolean repeatable() {
        return false;
    }

    @Override
    public Optional<Volume> result(StateReader state, Volume asked) {
        return created(key, state, asked);
    }

    /** Returns the created volume; empty while it is being created. */
    static Optional<Volume> created(VolumeKey key, StateReader state, Volume asked) {
        Withdrawals.creation(state, asked).ifPresent(row -> {
            throw new RefusedException(new CsiException("the creation of volume " + key + " was withdrawn: "
                    + row.withdrawn().reason() + "; the provider may have made it as " + row.name()));
        });
        state.row(RowType.REFUSED_CREATIONS, asked.createIndex()).ifPresent(refused -> {
            throw refusal(asked, refused.reason());
        });
        if (state.volume(key).isEmpty()) {
            throw new VolumeRemovedException(
                    key,
                    "volume " + key + " was removed from the state while it was being created: it was deleted or"
                            + " forgotten, or its creation was withdrawn; create it again if it is still needed",
                    null);
        }
        Volume volume = Operations.same(state, asked, "created");
        if (volume.phase() == VolumePhase.DELETING) {
            throw new RejectedException(new Rejection.WrongPhase(key, volume.phase(), VolumePhase.AVAILABLE));
        }
        return volume.phase() == VolumePhase.AVAILABLE ? Optional.of(volume) : Optional.empty();
    }

    /** Returns the refusal for a caller whose server did not make the call itself, so that it has no text of the plugin. */
    private static CsiException refusal(Volume asked, RefusedCreation.Reason reason) {
        return reason.code()
                .<CsiException>map(code -> new CsiCallException(
                        Rpc.CREATE_VOLUME,
                        asked.pluginId().value(),
                        asked.name(),
                        code,
                        CallOutcome.of(Rpc.CREATE_VOLUME, code, false),
                        reason.error() + "; another server made the call, and its log has the plugin's words",
                        reason.error(),
                        null))
                .orElseGet(() -> new RefusedException(new CsiException(reason.error())));
    }
}
