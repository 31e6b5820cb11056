package io.csi4j.node;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Unmounts a target without the plugin. {@link NodeVolumes} asks for it only for the publish target of an allocation
 * below its own base directory, never for a staging path, and only if the plugin denies the mount; see {@link
 * NodeVolumes#unmountDirectly} and {@link NodeVolumeOptions#directUnmount()}.
 */
@FunctionalInterface
public interface DirectUnmount {
    /**
     * Takes away the uppermost mount at a path. Must not block. A detached (lazy) unmount is not allowed: the device may
     * still be in use after it. The mount table decides afterwards whether the mount is gone, whatever the answer is.
     *
     * @param target a mount point, absolute and without links
     * @return completes when nothing works on the path any more; until then nothing else is done for the volume. The
     *     text of an {@link java.io.IOException} is shown to operators, that of other exceptions is not
     */
    CompletableFuture<@Nullable Void> unmount(Path target);
}
