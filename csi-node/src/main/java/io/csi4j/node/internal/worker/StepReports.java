package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reports the steps of one volume to the host's listener. */
final class StepReports {
    private final NodePorts ports;

    StepReports(NodePorts ports) {
        this.ports = ports;
    }

    /** Reports that a plugin has changed a mount when NodePublishVolume was repeated. */
    void mountChanged(VolumeEntry entry, UseId use, boolean mounted) {
        report(
                Kind.MOUNT_CHANGED,
                entry,
                use.allocationId(),
                " for allocation " + use.allocationId() + ": its plugin has "
                        + (mounted ? "mounted something else at the target" : "removed the mount")
                        + " when NodePublishVolume was repeated. Nothing is mounted again, and no new process gets the"
                        + " target; the workload may write beside the volume: end it, unmount the volume and mount it"
                        + " again");
    }

    /** Reports an action that no request caused, or that bypasses the plugin, as an event. */
    void begins(VolumeEntry entry, MountAction action) {
        AllocationId allocation = action.allocation();
        UseId use = action.use();
        // Reports a missing mount: NodeStageVolume and NodePublishVolume are repeated for a mounted use only if its
        // mount has disappeared.
        if (use != null
                && entry.use(use)
                        .filter(found -> found.phase() == UsePhase.PUBLISHED)
                        .isPresent()) {
            report(
                    Kind.MOUNT_MISSING,
                    entry,
                    allocation,
                    " is no longer mounted for allocation " + use.allocationId() + "; it is being mounted again");
        }
        if (action instanceof MountAction.ChangeOwnership change) {
            report(
                    Kind.OWNERSHIP_CHANGE,
                    entry,
                    allocation,
                    " gets the group of its mount for allocation "
                            + change.use().allocationId() + " by this node, because its plugin cannot set it");
        }
        if (action instanceof MountAction.DirectUnmount unmount) {
            UnmountOrder order = entry.use(unmount.use()).map(UseEntry::order).orElse(null);
            report(
                    Kind.DIRECT_UNMOUNT,
                    entry,
                    allocation,
                    " is being unmounted from " + ports.paths().of(entry, action)
                            + " without its plugin, which says that it is not mounted there; "
                            + (order == null ? "the option directUnmount is on" : order.printable()));
        }
        if (action instanceof MountAction.UnpublishOrphan || action instanceof MountAction.UnstageOrphan) {
            report(
                    Kind.ORPHAN_FOUND,
                    entry,
                    null,
                    " is mounted at " + ports.paths().of(entry, action) + " for no allocation; it is being removed");
        }
    }

    /**
     * Reports that the volume is mounted for a use that does not end, or unmounted for one that ends.
     *
     * @param lastChange the result of the last change of ownership
     */
    void ended(VolumeEntry entry, MountAction action, boolean leaving, String lastChange) {
        AllocationId allocation = action.allocation();
        Path path = ports.paths().of(entry, action);
        boolean ready = action instanceof MountAction.Publish publish
                ? entry.use(publish.use())
                        .filter(use -> entry.changesOwnership(use) || entry.checksOwnership(use))
                        .isEmpty()
                : action.isAboutOwnership();
        if (ready && !leaving) {
            String change = action instanceof MountAction.ChangeOwnership ? "; its files: " + lastChange : "";
            report(Kind.MOUNTED, entry, allocation, " is mounted at " + path + change);
        }
        boolean unmounted = action instanceof MountAction.Unpublish || action instanceof MountAction.DirectUnmount;
        if (unmounted && leaving) {
            report(Kind.UNMOUNTED, entry, allocation, " is unmounted from " + path);
        }
    }

    /** Reports that the plugin has set the group, and the root directory does not show it. */
    void ownershipNotSeen(VolumeEntry entry, MountAction action, String missing) {
        report(
                Kind.OWNERSHIP_NOT_SEEN,
                entry,
                action.allocation(),
                " is mounted, and its plugin, which has VOLUME_MOUNT_GROUP, has not set the group of the root directory: "
                        + missing + "; nothing was changed");
    }

    void failed(VolumeEntry entry, MountAction action, String error) {
        report(
                Kind.STEP_FAILED,
                entry,
                action.allocation(),
                ", " + action.getClass().getSimpleName() + ": " + error);
    }

    private void report(Kind kind, VolumeEntry entry, @Nullable AllocationId allocation, String what) {
        ports.reporter().report(kind, entry.key(), allocation, "Volume " + entry.key() + what);
    }
}
