package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.VolumeClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Keeps the rows of volume classes. */
final class VolumeClassHandler implements VolumeClassCommand.Cases<Outcome> {
    private final Step step;

    VolumeClassHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome putVolumeClass(VolumeClassCommand.PutVolumeClass command) {
        List<Problem> problems = new ArrayList<>(command.volumeClass().problems());
        unsupportedTopologies(command.volumeClass()).ifPresent(problems::add);
        InlinePlugins.problem(
                        PluginOffer.of(step.reader(), command.volumeClass().pluginId()), command.volumeClass())
                .ifPresent(problems::add);
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("volume class " + command.name(), problems));
        }
        Optional<VolumeClass> known = step.reader().volumeClass(command.name());
        if (known.filter(row -> row.sameValues(command.volumeClass())).isPresent()) {
            return step.accepted();
        }
        long modifyIndex = known.map(VolumeClass::modifyIndex).orElse(0L);
        if (command.ifModifyIndex() != 0 && command.ifModifyIndex() != modifyIndex) {
            return Step.rejected(
                    new Rejection.VolumeClassChanged(command.name(), command.ifModifyIndex(), modifyIndex));
        }
        step.writer()
                .put(
                        RowType.VOLUME_CLASSES,
                        command.volumeClass()
                                .stored(known.map(VolumeClass::createIndex).orElse(step.index()), step.index()));
        return step.accepted();
    }

    /** Returns the problem with topologies for a plugin that is known not to take them. */
    private Optional<Problem> unsupportedTopologies(VolumeClass volumeClass) {
        boolean refused = !volumeClass.allowedTopologies().isEmpty()
                && step.reader()
                        .facts(volumeClass.pluginId())
                        .filter(facts -> facts.capabilities().lacks(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS))
                        .isPresent();
        return refused
                ? Optional.of(new Problem(
                        "allowedTopologies",
                        "are given, and plugin " + volumeClass.pluginId() + " does not offer "
                                + PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS,
                        "leave them out, or use another plugin"))
                : Optional.empty();
    }

    @Override
    public Outcome removeVolumeClass(VolumeClassCommand.RemoveVolumeClass command) {
        boolean present = step.reader()
                .volumeClass(command.name())
                .filter(row -> command.ifCreateIndex() == 0 || command.ifCreateIndex() == row.createIndex())
                .isPresent();
        if (present) {
            step.writer().remove(RowType.VOLUME_CLASSES, command.name());
        }
        return step.accepted();
    }
}
