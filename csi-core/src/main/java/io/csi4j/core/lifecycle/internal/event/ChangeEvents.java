package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.spi.VolumeEvent;
import java.util.Optional;

/** Maps each command about a requested change, such as an expansion, to the event of its volume. */
final class ChangeEvents implements ChangeCommand.Cases<Optional<VolumeEvent.Change>> {
    @Override
    public Optional<VolumeEvent.Change> beginExpansion(ChangeCommand.BeginExpansion command) {
        return Optional.of(VolumeEvent.Change.EXPANDING);
    }

    @Override
    public Optional<VolumeEvent.Change> recordExpanded(ChangeCommand.RecordExpanded command) {
        return Optional.of(VolumeEvent.Change.EXPANDED);
    }

    @Override
    public Optional<VolumeEvent.Change> recordExpansionError(ChangeCommand.RecordExpansionError command) {
        return Optional.of(VolumeEvent.Change.STEP_FAILED);
    }

    @Override
    public Optional<VolumeEvent.Change> withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return Optional.of(VolumeEvent.Change.EXPANSION_WITHDRAWN);
    }

    @Override
    public Optional<VolumeEvent.Change> recordNodeExpansion(ChangeCommand.RecordNodeExpansion command) {
        return Optional.of(
                command.attempt().isPresent() ? VolumeEvent.Change.STEP_FAILED : VolumeEvent.Change.NODE_EXPANDED);
    }

    @Override
    public Optional<VolumeEvent.Change> beginModification(ChangeCommand.BeginModification command) {
        return Optional.of(VolumeEvent.Change.MODIFYING);
    }

    @Override
    public Optional<VolumeEvent.Change> recordModified(ChangeCommand.RecordModified command) {
        return Optional.of(VolumeEvent.Change.MODIFIED);
    }

    @Override
    public Optional<VolumeEvent.Change> beginModificationCall(ChangeCommand.BeginModificationCall command) {
        return Optional.empty();
    }

    @Override
    public Optional<VolumeEvent.Change> recordModificationError(ChangeCommand.RecordModificationError command) {
        return Optional.of(VolumeEvent.Change.STEP_FAILED);
    }
}
