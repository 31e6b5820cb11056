package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.state.RowType;
import java.util.List;
import java.util.Optional;

/** Keeps the rows of the profiles of plugins. A plugin need not be known when its profile is put. */
final class PluginProfileHandler implements PluginProfileCommand.Cases<Outcome> {
    private final Step step;

    PluginProfileHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome putPluginProfile(PluginProfileCommand.PutPluginProfile command) {
        List<Problem> problems = command.profile().problems();
        if (!problems.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest("profile of plugin " + command.pluginId(), problems));
        }
        Optional<PluginProfile> known = step.reader().pluginProfile(command.pluginId());
        if (known.filter(row -> row.sameValues(command.profile())).isPresent()) {
            return step.accepted();
        }
        long modifyIndex = known.map(PluginProfile::modifyIndex).orElse(0L);
        if (command.ifModifyIndex() != 0 && command.ifModifyIndex() != modifyIndex) {
            return Step.rejected(
                    new Rejection.PluginProfileChanged(command.pluginId(), command.ifModifyIndex(), modifyIndex));
        }
        step.writer()
                .put(
                        RowType.PLUGIN_PROFILES,
                        command.profile()
                                .stored(known.map(PluginProfile::createIndex).orElse(step.index()), step.index()));
        return step.accepted();
    }

    @Override
    public Outcome removePluginProfile(PluginProfileCommand.RemovePluginProfile command) {
        boolean present = step.reader()
                .pluginProfile(command.pluginId())
                .filter(row -> command.ifCreateIndex() == 0 || command.ifCreateIndex() == row.createIndex())
                .isPresent();
        if (present) {
            step.writer().remove(RowType.PLUGIN_PROFILES, command.pluginId());
        }
        return step.accepted();
    }
}
