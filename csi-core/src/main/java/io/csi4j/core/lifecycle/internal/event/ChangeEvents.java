package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.spi.VolumeEvent;

/** Maps each command about a requested change, such as an expansion, to the event of its volume. */
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
    public VolumeEvent.Change withdrawExpansion(ChangeCommand.WithdrawExpansion command) {
        return VolumeEvent.Change.EXPANSION_WITHDRAWN;
    }

    @Override
    public VolumeEvent.Change recordNodeExpansion(ChangeCommand.RecordNodeExpansion command) {
        return VolumeEvent.Change.NODE_EXPANDED;
    }

    @Override
    public VolumeEvent.Change beginModification(ChangeCommand.BeginModification command) {
        return VolumeEvent.Change.MODIFYING;
    }

    @Override
    public VolumeEvent.Change recordModified(ChangeCommand.RecordModified command) {
        return VolumeEvent.Change.MODIFIED;
    }
}
