package io.csi4j.core.volume;

/** The known state of one volume on one node at the controller. */
public enum AttachmentState {
    /** The volume may be attached: the intent is persisted, the outcome is not (R62). */
    PUBLISHING,
    /** The volume is attached. */
    PUBLISHED,
    /** The volume may be detached: the intent is persisted, the outcome is not. */
    UNPUBLISHING
}
