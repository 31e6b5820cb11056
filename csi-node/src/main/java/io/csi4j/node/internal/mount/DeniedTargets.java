package io.csi4j.node.internal.mount;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.MountPoints;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The "denied" targets of a volume: the plugin has answered NodeUnpublishVolume with OK or NOT_FOUND since this process
 * started, but the mount table still had the target. Only the last response for a target counts. Used in the tasks of a
 * worker only.
 */
public final class DeniedTargets {
    private final NodePaths paths;
    private final Set<AllocationId> denied = new HashSet<>();

    public DeniedTargets(NodePaths paths) {
        this.paths = paths;
    }

    /** Adds or removes the target of an ended call. The mount table {@code table} was read after the call. */
    public void ended(VolumeEntry entry, MountAction action, @Nullable Throwable error, Optional<MountPoints> table) {
        if (action instanceof MountAction.Publish publish) {
            denied.remove(publish.allocationId());
        } else if (action instanceof MountAction.Unpublish unpublish) {
            AllocationId allocation = unpublish.allocationId();
            boolean saidGone = error == null || NodeFailures.notFound(error);
            if (saidGone && isMounted(entry, allocation, table)) {
                denied.add(allocation);
            } else {
                denied.remove(allocation);
            }
        }
    }

    /**
     * Returns the allocations whose targets are denied and are mount points now. Forgets targets whose use has ended or that are no mount
     * points any more.
     */
    public Set<AllocationId> mounted(VolumeEntry entry, Optional<MountPoints> table) {
        denied.removeIf(allocation ->
                entry.use(allocation).isEmpty() || (table.isPresent() && !isMounted(entry, allocation, table)));
        return table.isPresent() ? Set.copyOf(denied) : Set.of();
    }

    private boolean isMounted(VolumeEntry entry, AllocationId allocation, Optional<MountPoints> table) {
        Path target = paths.target(entry.key(), allocation);
        return table.isPresent() && table.get().contains(target);
    }
}
