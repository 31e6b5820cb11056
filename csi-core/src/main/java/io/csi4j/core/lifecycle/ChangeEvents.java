package io.csi4j.core.lifecycle;

import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.spi.VolumeEvent;

/** What each command about a wished change means for the volume. */
final class ChangeEvents implements ChangeCommand.Cases<VolumeEvent.Change> {
    @Override
    public VolumeEvent.Change beginExpansion(ChangeCommand.BeginExpansion command) {
        return VolumeEvent.Change.EXPANDING;
    }

    @Override
    public VolumeEvent.Change recordExpanded(ChangeCommand.RecordExpanded command) {
        return VolumeEvent.Change.EXPANDED;
    }

    @Override
    public VolumeEvent.Change recordExpansionError(ChangeCommand.RecordExpansionError command) {
        return VolumeEvent.Change.STEP_FAILED;
    }

    @Override
    public VolumeEvent.Change withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return VolumeEvent.Change.EXPANSION_WITHDRAWN;
    }

    @Override
    public VolumeEvent.Change recordNodeExpansion(ChangeCommand.RecordNodeExpansion command) {
        return command.attempt().isPresent() ? VolumeEvent.Change.STEP_FAILED : VolumeEvent.Change.NODE_EXPANDED;
    }

    @Override
    public VolumeEvent.Change beginModification(ChangeCommand.BeginModification command) {
        return VolumeEvent.Change.MODIFYING;
    }

    @Override
    public VolumeEvent.Change recordModified(ChangeCommand.RecordModified command) {
        return VolumeEvent.Change.MODIFIED;
    }

    @Override
    public VolumeEvent.Change takeOverModification(ChangeCommand.TakeOverModification command) {
        return VolumeEvent.Change.MODIFYING;
    }

    @Override
    public VolumeEvent.Change recordModificationError(ChangeCommand.RecordModificationError command) {
        return VolumeEvent.Change.STEP_FAILED;
    }
}
