package io.csi4j.node;

/** The policy for a mount that fails while an allocation uses it. */
public enum BrokenMounts {
    /** csi4j notifies the listener and does nothing else. The host may unmount the volume and mount it again. */
    REPORT,
    /**
     * The listener is notified, and the volume is mounted again. If only a target path is broken, the volume is
     * unpublished from this path and published again. If the staging path is broken, the volume is unpublished from all
     * its target paths, unstaged, staged and published again. A workload that has open files on the broken mount, or a
     * bind mount of its path, uses the broken mount until the workload restarts.
     */
    REPAIR
}
