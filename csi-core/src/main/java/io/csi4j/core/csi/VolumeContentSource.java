package io.csi4j.core.csi;

import java.util.Objects;

/** The source of the content of a new volume. */
public sealed interface VolumeContentSource {
    /**
     * A new volume gets the content of a snapshot.
     *
     * @param snapshotId the snapshot
     */
    record SnapshotSource(SnapshotId snapshotId) implements VolumeContentSource {
        public SnapshotSource {
            Objects.requireNonNull(snapshotId, "snapshotId");
        }
    }

    /**
     * A new volume gets the content of another volume.
     *
     * @param volumeId the other volume
     */
    record VolumeSource(ExternalVolumeId volumeId) implements VolumeContentSource {
        public VolumeSource {
            Objects.requireNonNull(volumeId, "volumeId");
        }
    }

    /** Returns a snapshot as the source. */
    static VolumeContentSource snapshot(SnapshotId snapshotId) {
        return new SnapshotSource(snapshotId);
    }

    /** Returns another volume as the source. */
    static VolumeContentSource volume(ExternalVolumeId volumeId) {
        return new VolumeSource(volumeId);
    }
}
