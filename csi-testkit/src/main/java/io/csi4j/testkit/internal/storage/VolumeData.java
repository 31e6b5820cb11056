package io.csi4j.testkit.internal.storage;

import io.csi4j.proto.csi.v1.VolumeContentSource;
import java.util.Map;

/** The contents of volumes and snapshots. All methods are idempotent, also after an interruption. */
public interface VolumeData {
    /**
     * Creates the contents of a new volume; removes the contents of an earlier failed attempt.
     *
     * @param block whether the contents are an image file, for a block device; false: a directory
     * @param bytes the size
     * @param source the source of the contents; the empty message: none
     */
    void createVolume(String volumeId, boolean block, long bytes, VolumeContentSource source);

    /**
     * Creates the contents of an inline volume, a file with its attributes; removes the contents of an earlier failed attempt.
     *
     * @param volumeId an id that can be a file name
     */
    void createInline(String volumeId, Map<String, String> attributes);

    /** Removes the contents of a volume; never crosses a mount point. */
    void deleteVolume(String volumeId);

    /**
     * Changes the size of a volume.
     *
     * @param block whether the contents are an image file, for a block device; false: a directory
     * @param bytes the new size
     */
    void resize(String volumeId, boolean block, long bytes);

    /** Copies the contents of a volume to a snapshot. */
    void createSnapshot(String snapshotId, String volumeId);

    void deleteSnapshot(String snapshotId);

    /** Returns the blocks of a snapshot of a block volume; the caller closes them. */
    BlockMap blocks(String snapshotId);
}
