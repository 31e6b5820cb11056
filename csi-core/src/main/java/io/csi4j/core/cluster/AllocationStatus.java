package io.csi4j.core.cluster;

/** What is known about an allocation. */
public enum AllocationStatus {
    /** Placed, not started yet. */
    PENDING,
    /** It runs. */
    RUNNING,
    /** The host wants it to stop. A wish ends nothing: it still runs. */
    STOPPING,
    /** It has ended: its node said so, or its node is fenced or gone. Final. */
    ENDED
}
