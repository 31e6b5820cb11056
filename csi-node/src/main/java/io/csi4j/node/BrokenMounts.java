package io.csi4j.node;

/** The policy for a mount that fails while an allocation uses it. */
public enum BrokenMounts {
    /** csi4j notifies the listener and does nothing else. The host may unmount the volume and mount it again. */
    REPORT,
    /**
     * The listener is notified, and the volume is mounted again. If only a target fails, this target is unpublished and published again. If
     * the staging fails, all targets of the volume are unpublished, and the volume is unstaged, staged and published again. A workload with
     * open files there, or with a bind mount of the path, keeps the broken mount until it restarts.
     */
    REPAIR
}
