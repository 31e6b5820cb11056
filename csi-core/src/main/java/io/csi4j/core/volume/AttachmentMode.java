package io.csi4j.core.volume;

/** The form in which an allocation gets a volume. */
public enum AttachmentMode {
    /** As a block device. */
    BLOCK,
    /** As a mounted file system. */
    MOUNT
}
