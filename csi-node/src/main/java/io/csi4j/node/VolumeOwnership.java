package io.csi4j.node;

import io.csi4j.node.internal.ownership.LinuxOwnership;
import io.csi4j.node.internal.ownership.RootCheck;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives the files of a mounted volume to a group, for plugins that cannot (VOLUME_MOUNT_GROUP). {@link NodeVolumes}
 * calls this after NodePublishVolume, and reports the mount when the future has completed.
 */
@FunctionalInterface
public interface VolumeOwnership {
    /**
     * Changes the ownership of all files of a volume. Must not block.
     *
     * @param target the target path of the volume, absolute. The plugin may replace a part of it by a link, so the
     *     operation must not follow links, and must not leave the mount
     * @param progress shows the progress to operators, and is cancelled if the mount is withdrawn
     * @return completes when the ownership is as wanted, or when the operation has ended and no longer accesses the
     *     path. Until then, no other step is taken for the volume. If the future fails with an {@link
     *     java.io.IOException}, its text is shown to operators and the change is repeated; if it fails with a {@link
     *     NodeVolumeException}, a first mount fails for good
     */
    CompletableFuture<@Nullable Void> change(Path target, FileOwnership wanted, OwnershipProgress progress);

    /**
     * Looks once at the root directory of a volume whose plugin has set the group (VOLUME_MOUNT_GROUP), and changes nothing.
     * Must not block.
     *
     * @param target the target path of the volume, absolute; a link there is not followed
     * @param group the group of the mount; empty if it is no number
     * @param readonly whether the mount is only for reading
     * @return what is missing there for the group, for operators; empty: nothing. The future may never complete if the mount
     *     hangs
     */
    default CompletableFuture<Optional<String>> checkRoot(Path target, OptionalLong group, boolean readonly) {
        return RootCheck.start(target, group, readonly);
    }

    /**
     * Returns the implementation for 64-bit Linux from 5.6 on. It needs the rights of root, or those of the files' owner
     * and of the group. It changes two volumes at a time; others wait. A change
     * that has not proceeded for ten seconds does not count, so that storage without answers delays no other volume.
     */
    static VolumeOwnership ofLinux() {
        return new LinuxOwnership();
    }
}
