package io.csi4j.core.csi;

import java.util.Objects;

/** What a new volume is filled with. */
public sealed interface VolumeContentSource {
    /**
     * The content of a snapshot.
     *
     * @param snapshotId the snapshot
     */
    record SnapshotSource(SnapshotId snapshotId) implements VolumeContentSource {
        /** Checks that there is a snapshot. */
        public SnapshotSource {
            Objects.requireNonNull(snapshotId, "snapshotId");
        }
    }

    /**
     * The content of another volume.
     *
     * @param volumeId the volume to clone
     */
    record VolumeSource(ExternalVolumeId volumeId) implements VolumeContentSource {
        /** Checks that there is a volume. */
        public VolumeSource {
            Objects.requireNonNull(volumeId, "volumeId");
        }
    }

    /**
     * A restore from a snapshot.
     *
     * @param snapshotId the snapshot
     * @return the source
     */
    static VolumeContentSource snapshot(SnapshotId snapshotId) {
        return new SnapshotSource(snapshotId);
    }

    /**
     * A clone of a volume.
     *
     * @param volumeId the volume
     * @return the source
     */
    static VolumeContentSource volume(ExternalVolumeId volumeId) {
        return new VolumeSource(volumeId);
    }
}
