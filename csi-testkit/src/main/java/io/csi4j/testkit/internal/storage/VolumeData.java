package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeContentSource;

/** The contents of volumes and snapshots. Every method can be repeated, also after it was cut off in the middle. */
public interface VolumeData {
    /** No contents at all: for a storage in memory. */
    VolumeData NONE = new VolumeData() {
        @Override
        public void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source) {}

        @Override
        public void deleteVolume(String volumeId) {}

        @Override
        public void resize(String volumeId, boolean block, long bytes) {}

        @Override
        public void createSnapshot(String snapshotId, String volumeId) {}

        @Override
        public void deleteSnapshot(String snapshotId) {}
    };

    /**
     * Makes the contents of a new volume; whatever is there under its id is from a failed attempt and goes away.
     *
     * @param volumeId of the volume
     * @param block an image, else a directory
     * @param bytes the size
     * @param source what to fill it with, or the empty message
     */
    void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source);

    /**
     * Removes the contents of a volume, never across a mount point.
     *
     * @param volumeId of the volume
     */
    void deleteVolume(String volumeId);

    /**
     * Gives a volume another size.
     *
     * @param volumeId of the volume
     * @param block an image, else a directory
     * @param bytes the size
     */
    void resize(String volumeId, boolean block, long bytes);

    /**
     * Copies the contents of a volume.
     *
     * @param snapshotId of the copy
     * @param volumeId of the volume
     */
    void createSnapshot(String snapshotId, String volumeId);

    /**
     * Removes the contents of a snapshot.
     *
     * @param snapshotId of the snapshot
     */
    void deleteSnapshot(String snapshotId);
}
