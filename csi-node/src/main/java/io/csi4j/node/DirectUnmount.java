package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Unmounts a target path without the plugin. {@link NodeVolumes} calls this only if the plugin answers that the volume
 * is not published at the path, but the mount table still has the path. The path is always the publish target of an
 * allocation below the base directory, never a staging path. See {@link NodeVolumes#unmountDirectly} and {@link
 * NodeVolumeOptions#directUnmount()}.
 */
@FunctionalInterface
public interface DirectUnmount {
    /**
     * Removes the topmost mount at a path. Must not block. A lazy unmount is not allowed, because the device may still
     * be in use after it. The caller does not rely on the result: it reads the mount table to decide whether the path
     * is unmounted.
     *
     * @param target a mount point, absolute and without symbolic links when the mount table was read. The plugin may
     *     replace a part of the path by a link since then, so the operation must not follow links
     * @return completes when the operation has ended and no longer accesses the path. Until then, no other step is
     *     taken for the volume. If the future fails with an {@link java.io.IOException}, its text is shown to
     *     operators; the texts of other exceptions are not shown
     */
    CompletableFuture<@Nullable Void> unmount(Path target);
}
