package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Optional;

/** Keeps the rows of creations that were given up. */
final class WithdrawnCreationHandler implements WithdrawnCreationCommand.Cases<Outcome> {
    private final Step step;

    WithdrawnCreationHandler(Step step) {
        this.step = step;
    }

    /** Stores that the creation of a volume is given up, if the volume is not finished and may exist. */
    static void leave(Step step, Volume volume, OperatorOverride withdrawn) {
        if (volume.externalVolumeId().isEmpty()) {
            WithdrawnCreation.of(volume, withdrawn).ifPresent(step.writer()::putWithdrawnCreation);
        }
    }

    /** Removes the row of a withdrawn creation whose volume is in the state now. */
    static void found(Step step, Volume candidate) {
        if (candidate.externalVolumeId().isEmpty()) {
            return;
        }
        for (WithdrawnCreation withdrawn : Step.collect(step.reader().withdrawnCreations())) {
            if (withdrawn.pluginId().equals(candidate.pluginId())
                    && withdrawn.externalVolumeId().equals(candidate.externalVolumeId())) {
                step.writer().removeWithdrawnCreation(withdrawn.key());
            }
        }
    }

    private Optional<WithdrawnCreation> row(WithdrawnCreationCommand command) {
        return step.reader()
                .withdrawnCreation(command.key())
                .filter(row -> row.createIndex() == command.ifCreateIndex());
    }

    @Override
    public Outcome recordLateAnswer(WithdrawnCreationCommand.RecordLateAnswer command) {
        row(command).ifPresent(row -> {
            if (command.externalVolumeId().isEmpty()) {
                if (row.lastCall() == command.lastCall()) {
                    step.writer().removeWithdrawnCreation(row.key());
                }
            } else if (step.reader()
                    .volumeByExternalId(
                            row.pluginId(), command.externalVolumeId().get())
                    .isPresent()) {
                step.writer().removeWithdrawnCreation(row.key());
            } else {
                step.writer()
                        .putWithdrawnCreation(
                                row.made(command.externalVolumeId().get()));
            }
        });
        return step.accepted();
    }

    @Override
    public Outcome forgetWithdrawnCreation(WithdrawnCreationCommand.ForgetWithdrawnCreation command) {
        row(command).ifPresent(row -> step.writer().removeWithdrawnCreation(row.key()));
        return step.accepted();
    }
}
