package io.csi4j.core.cluster;

/** The status of an allocation, as reported by the host. */
public enum AllocationStatus {
    /** The allocation is placed and has not started yet. */
    PENDING,
    /** The allocation runs. */
    RUNNING,
    /** The allocation still runs, and the host wants it to stop. */
    STOPPING,
    /** The allocation has ended: its node reported the end, or its node is fenced or gone. This status is final. */
    ENDED
}
