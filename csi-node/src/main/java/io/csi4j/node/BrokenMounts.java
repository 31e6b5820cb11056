package io.csi4j.node;

/** The policy for a mount that fails while an allocation uses it. */
public enum BrokenMounts {
    /** The listener is notified. The host decides, and may unmount and mount again. */
    REPORT,
    /**
     * The listener is notified. Then the target, or everything of the volume if the staging fails, is unpublished, unstaged and mounted
     * again. A workload with open files there, or with a bind mount of the path, keeps the broken mount until it restarts.
     */
    REPAIR
}
