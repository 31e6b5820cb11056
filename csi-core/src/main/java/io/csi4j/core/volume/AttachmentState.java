package io.csi4j.core.volume;

/** The last known state of the attachment of a volume to a node by the controller. */
public enum AttachmentState {
    /**
     * The volume may be attached. The intent to attach it is stored, and the outcome of the call is not known (R62).
     */
    PUBLISHING,
    /** The volume is attached. */
    PUBLISHED,
    /** The volume may be detached. The intent to detach it is stored, and the outcome of the call is not known. */
    UNPUBLISHING
}
