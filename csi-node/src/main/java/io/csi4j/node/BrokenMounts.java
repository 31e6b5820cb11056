package io.csi4j.node;

/** What is done about a mount that fails while an allocation uses it. */
public enum BrokenMounts {
    /** The listener is told, and nothing else: the host decides, and may unmount and mount again. */
    REPORT,
    /**
     * The listener is told; then the target, or if the staging fails everything of the volume, is unpublished, unstaged
     * and made again. A workload that holds files open there, or has bound the path elsewhere, keeps the broken mount
     * until it is restarted.
     */
    REPAIR
}
