package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Keeps a source from being deleted while a volume is being created from it. */
public final class SourceUse {
    private SourceUse() {}

    /**
     * Checks that no creation from these snapshots is stored. Call this right before the snapshots are deleted.
     *
     * @param visible returns whether the caller may read a volume
     * @throws CsiException a retryable one, which names the snapshot, and the volume if the caller may read it, if there
     *     is such a creation
     */
    public static void check(
            StateReader state, PluginId plugin, List<SnapshotId> snapshots, Predicate<VolumeKey> visible) {
        for (SnapshotId snapshot : snapshots) {
            Optional<CsiException> use =
                    of(state, plugin, VolumeContentSource.snapshot(snapshot), "snapshot " + snapshot, visible);
            if (use.isPresent()) {
                throw use.get();
            }
        }
    }

    /**
     * Returns why a volume cannot be deleted now: another volume or a snapshot is being created from it; empty if none is.
     * The text names the other object only if both have the same namespace.
     */
    public static Optional<CsiException> of(StateReader state, Volume volume) {
        for (SnapshotKey key : state.snapshotsOf(volume.key())) {
            if (state.snapshot(key)
                    .filter(row -> row.readsSource() && row.spec().sourceIndex() == volume.createIndex())
                    .isPresent()) {
                boolean visible = key.namespace().equals(volume.key().namespace());
                return Optional.of(new SourceInUseException("volume " + volume.key() + " is the source of "
                        + (visible ? "snapshot " + key : "a snapshot of another namespace")
                        + ", which is being created; wait until it is, or delete that snapshot"));
            }
        }
        return volume.externalVolumeId()
                .flatMap(id -> of(
                        state,
                        volume.pluginId(),
                        VolumeContentSource.volume(id),
                        "volume " + volume.key(),
                        key -> key.namespace().equals(volume.key().namespace())));
    }

    private static Optional<CsiException> of(
            StateReader state, PluginId plugin, VolumeContentSource source, String what, Predicate<VolumeKey> visible) {
        Iterator<VolumeKey> creations = state.creationsFrom(plugin, source).iterator();
        if (!creations.hasNext()) {
            return Optional.empty();
        }
        VolumeKey creation = creations.next();
        return Optional.of(new SourceInUseException(what + " is the source of "
                + (visible.test(creation) ? "volume " + creation : "a volume of another namespace")
                + ", which is being created; wait until it is, or withdraw that creation"));
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
