package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Unmounts a target without the plugin. {@link NodeVolumes} uses it only for the publish target of an allocation below its own base
 * directory, never for a staging path, and only if the plugin denies the mount; see {@link NodeVolumes#unmountDirectly} and {@link
 * NodeVolumeOptions#directUnmount()}.
 */
@FunctionalInterface
public interface DirectUnmount {
    /**
     * Removes the topmost mount at a path. Must not block. A lazy unmount is not allowed, because the device may still be in use after it.
     * Afterwards the mount table decides whether the mount is gone, whatever the result.
     *
     * @param target a mount point, absolute and without symbolic links
     * @return completes when nothing uses the path any more; until then nothing else is done for the volume. The text of an {@link
     *     java.io.IOException} is shown to operators, that of other exceptions is not
     */
    CompletableFuture<@Nullable Void> unmount(Path target);
}
