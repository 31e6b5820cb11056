package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;

/** Keeps a source from being deleted while a volume is being created from it. */
public final class SourceUse {
    private SourceUse() {}

    /**
     * Checks that no creation from these snapshots is stored. Call this right before the snapshots are deleted.
     *
     * @throws CsiException a retryable one, which names the snapshot and the volume, if there is such a creation
     */
    public static void check(StateReader state, PluginId plugin, List<SnapshotId> snapshots) {
        for (SnapshotId snapshot : snapshots) {
            Optional<CsiException> use =
                    of(state, plugin, VolumeContentSource.snapshot(snapshot), "snapshot " + snapshot);
            if (use.isPresent()) {
                throw use.get();
            }
        }
    }

    /** Returns why a volume cannot be deleted now: another volume is being created from it; empty if none is. */
    public static Optional<CsiException> of(StateReader state, Volume volume) {
        return volume.externalVolumeId()
                .flatMap(id -> of(state, volume.pluginId(), VolumeContentSource.volume(id), "volume " + volume.key()));
    }

    private static Optional<CsiException> of(
            StateReader state, PluginId plugin, VolumeContentSource source, String what) {
        return state.creationsFrom(plugin, source).iterator().hasNext()
                ? Optional.of(new SourceInUseException(what + " is the source of volume "
                        + state.creationsFrom(plugin, source).iterator().next()
                        + ", which is being created; wait until it is, or withdraw that creation"))
                : Optional.empty();
    }

    /** The source is free when the creation has ended, so the deletion is tried again. */
    private static final class SourceInUseException extends CsiException {
        private static final long serialVersionUID = 1L;

        SourceInUseException(String message) {
            super(message);
        }

        @Override
        public boolean retryable() {
            return true;
        }
    }
}
