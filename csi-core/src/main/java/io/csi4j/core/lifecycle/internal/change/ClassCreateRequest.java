package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A request to create a volume from a class. The class is read when the command is applied, and not before, so that all
 * servers decide by the same values.
 */
record ClassCreateRequest(VolumeKey key, VolumeTemplate template) implements ChangeRequest<Volume> {
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
        if (!template.attributes().isEmpty()) {
            throw new CsiRequestException(
                    "volume " + key,
                    List.of(new Problem(
                            "attributes",
                            "are given, and only claims make inline volumes",
                            "use the template in a claim, or leave them out")));
        }
        return Optional.empty();
    }

    @Override
    public Command intent(StateReader state, Optional<Volume> asked, Instant now) {
        return new VolumeCommand.CreateFromClass(key, template, now);
    }

    /** Returns false: the volume may have been created and deleted meanwhile, and must not be created once more. */
    @Override
    public boolean repeatable() {
        return false;
    }

    @Override
    public Optional<Volume> result(StateReader state, Volume asked) {
        return CreateRequest.created(key, state, asked);
    }
}
