package io.csi4j.core.volume;

/** What is known about one volume on one node at the controller plugin. */
public enum AttachmentState {
    /** It may be attached: the intent was written, the outcome was not (R62). */
    PUBLISHING,
    /** It is attached. */
    PUBLISHED,
    /** It may be detached: the intent was written, the outcome was not. */
    UNPUBLISHING
}
