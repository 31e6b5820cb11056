package io.csi4j.core.volume;

/** How a volume is presented to an allocation. */
public enum AttachmentMode {
    /** As a block device. */
    BLOCK,
    /** As a mounted file system. */
    MOUNT
}
