package io.csi4j.node;

/** The policy for a mount that fails while an allocation uses it. */
public enum BrokenMounts {
    /**
     * csi4j notifies the listener and leaves the mounts as they are. The host may unmount the volume and mount it
     * again. A broken staging path is not used for another allocation: if no allocation has the volume mounted any
     * more, the volume is unstaged and staged again; otherwise the new mount waits, and fails at its time limit.
     */
    REPORT,
    /**
     * The listener is notified, and the volume is mounted again. If only a target path is broken, the volume is
     * unpublished from this path and published again. If the staging path is broken, the volume is unpublished from all
     * its target paths, unstaged, staged and published again. A workload that has open files on the broken mount, or a
     * bind mount of its path, uses the broken mount until the workload restarts.
     */
    REPAIR
}
