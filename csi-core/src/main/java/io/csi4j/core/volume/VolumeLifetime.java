package io.csi4j.core.volume;

/** How long a volume that a claim makes lives. */
public enum VolumeLifetime {
    /** The volume stays when the workload ends. */
    PERSISTENT,
    /**
     * The volume belongs to the allocation that claims it: no other allocation can claim it, and it is deleted with its
     * data when the allocation has ended and no node uses it any more, whatever the reclaim policy of its class is.
     */
    ALLOCATION,
    /**
     * The volume belongs to a workload that the host names. When the host says that the workload has ended, the volume is
     * deleted or retained, as the reclaim policy of its class says.
     */
    WORKLOAD
}
