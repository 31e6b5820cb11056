package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.command.Rejection;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;

/** Checks that a volume of the provider belongs to one row of the state. */
public final class OnlyRow {
    private OnlyRow() {}

    /**
     * Rejects an operation on a volume if another row of the state refers to the same volume of the storage provider.
     *
     * @throws RejectedException if there is such a row
     */
    public static void check(StateReader state, Volume volume) {
        volume.externalVolumeId()
                .flatMap(id -> state.volumeByExternalId(volume.pluginId(), id))
                .filter(holder -> !holder.equals(volume.key()))
                .ifPresent(holder -> {
                    throw new RejectedException(
                            new Rejection.ExternalIdTaken(volume.key(), volume.pluginId(), volume.remoteId(), holder));
                });
    }
}
