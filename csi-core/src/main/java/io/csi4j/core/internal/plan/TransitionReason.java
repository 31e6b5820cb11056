package io.csi4j.core.internal.plan;

/** The reason for a transition without a call. */
public enum TransitionReason {
    /** The allocation has ended, or the host removed it from the state. */
    ALLOCATION_ENDED,
    /** The host reported the node fenced or gone: nothing on it can reach the storage. */
    NODE_LOST,
    /**
     * The node was unreachable for longer than the grace period, after which its workloads have stopped, as the host promises.
     */
    GRACE_ENDED,
    /** An operator overrode the step; the statement is persisted. */
    OVERRIDDEN,
    /** Other claims on the node still need the attachment. */
    OTHERS_KEEP_ATTACHMENT,
    /** The volume is not attached to the node. */
    NOT_ATTACHED
}
