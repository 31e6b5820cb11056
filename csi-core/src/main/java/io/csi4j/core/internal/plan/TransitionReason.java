package io.csi4j.core.internal.plan;

/** The fact on which a step is written down as done, or a claim as to be released, without a call. */
public enum TransitionReason {
    /** The allocation has ended, or the host, which had told of it, forgot it. */
    ALLOCATION_OVER,
    /** The node is fenced or gone, by the host's word: nothing on it can reach storage. */
    NODE_LOST,
    /** The node was out of reach for longer than its workloads may go on, by the host's promise. */
    GRACE_OVER,
    /** An operator gave his word, on record. */
    OVERRIDDEN,
    /** Other claims on the node still need the attachment; it is theirs to undo. */
    OTHERS_KEEP_ATTACHMENT,
    /** The volume is not attached to the node: nothing ever was, or it was undone. */
    NOT_ATTACHED
}
