package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeContentSource;

/** The contents of volumes and snapshots. Every method can be repeated, also after it was cut off in the middle. */
public interface VolumeData {
    /**
     * Makes the contents of a new volume; whatever is there under its id is from a failed attempt and goes away.
     *
     * @param block an image, else a directory
     * @param bytes the size
     * @param source what to fill it with, or the empty message
     */
    void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source);

    /** Removes the contents of a volume, never across a mount point. */
    void deleteVolume(String volumeId);

    /**
     * Gives a volume another size.
     *
     * @param block an image, else a directory
     * @param bytes the size
     */
    void resize(String volumeId, boolean block, long bytes);

    /**
     * Copies the contents of a volume.
     *
     * @param snapshotId of the copy
     */
    void createSnapshot(String snapshotId, String volumeId);

    /** Removes the contents of a snapshot. */
    void deleteSnapshot(String snapshotId);

    /**
     * Looks at the blocks of a snapshot of a block volume.
     *
     * @return to be closed
     */
    BlockMap blocks(String snapshotId);
}
