package io.csi4j.core.internal.plan;

/** The reason why a transition needs no call. */
public enum TransitionReason {
    /** The allocation has ended, or the host removed it from the state. */
    ALLOCATION_ENDED,
    /**
     * The host reported the node fenced or gone, or an operator stated that the former machine of the node is lost, so
     * nothing on the machine can reach the storage.
     */
    NODE_LOST,
    /**
     * The node was unreachable for longer than the grace period. The host guarantees that the node's workloads have
     * stopped by the end of that period.
     */
    GRACE_ENDED,
    /** An operator has stated that the step is done. */
    OVERRIDDEN,
    /**
     * Other claims on the node still need the attachment, so the volume stays attached and the released claim can be
     * removed.
     */
    OTHERS_KEEP_ATTACHMENT,
    /** The volume is not attached to the node. */
    NOT_ATTACHED
}
