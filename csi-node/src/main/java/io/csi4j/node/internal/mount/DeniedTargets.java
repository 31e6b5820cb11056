package io.csi4j.node.internal.mount;

import io.csi4j.node.MountPoints;
import io.csi4j.node.internal.ledger.UseId;
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
    private final Set<UseId> denied = new HashSet<>();

    public DeniedTargets(NodePaths paths) {
        this.paths = paths;
    }

    /** Adds or removes the target of an ended call. The mount table {@code table} was read after the call. */
    public void ended(VolumeEntry entry, MountAction action, @Nullable Throwable error, Optional<MountPoints> table) {
        if (action instanceof MountAction.Publish publish) {
            denied.remove(publish.use());
        } else if (action instanceof MountAction.Unpublish unpublish) {
            UseId use = unpublish.use();
            boolean saidGone = error == null || NodeFailures.notFound(error);
            if (saidGone && isMounted(entry, use, table)) {
                denied.add(use);
            } else {
                denied.remove(use);
            }
        }
    }

    /**
     * Returns the uses whose targets are denied and are mount points now. Forgets targets whose use has ended or that are no mount
     * points any more.
     */
    public Set<UseId> mounted(VolumeEntry entry, Optional<MountPoints> table) {
        denied.removeIf(use -> entry.use(use).isEmpty() || (table.isPresent() && !isMounted(entry, use, table)));
        return table.isPresent() ? Set.copyOf(denied) : Set.of();
    }

    private boolean isMounted(VolumeEntry entry, UseId use, Optional<MountPoints> table) {
        Path target = paths.target(entry.key(), use);
        return table.isPresent() && table.get().contains(target);
    }
}
