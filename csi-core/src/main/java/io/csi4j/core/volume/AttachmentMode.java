package io.csi4j.core.volume;

/** Says how an allocation gets a volume: as a block device or as a mounted file system. */
public enum AttachmentMode {
    /** The allocation gets the volume as a block device. */
    BLOCK,
    /** The allocation gets the volume as a mounted file system. */
    MOUNT
}
