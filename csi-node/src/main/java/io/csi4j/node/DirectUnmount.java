package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Unmounts a target without the plugin. {@link NodeVolumes} uses it only for the publish target of an allocation below
 * its base directory, never for a staging path, and only if the plugin answers that the target is not published while
 * the mount table has it; see {@link NodeVolumes#unmountDirectly} and {@link NodeVolumeOptions#directUnmount()}.
 */
@FunctionalInterface
public interface DirectUnmount {
    /**
     * Removes the topmost mount at a path. Must not block. A lazy unmount is not allowed, because the device may still
     * be in use after it. The caller does not rely on the result: it reads the mount table to decide whether the path
     * is unmounted.
     *
     * @param target a mount point, absolute and without symbolic links
     * @return completes when the operation has ended and no longer accesses the path; the volume's other work waits until then. If the
     *     future fails with an {@link java.io.IOException}, its text is shown to operators; the texts of other exceptions are not shown
     */
    CompletableFuture<@Nullable Void> unmount(Path target);
}
