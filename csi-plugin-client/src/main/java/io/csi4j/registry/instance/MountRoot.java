package io.csi4j.registry.instance;

import java.nio.file.Path;
import java.util.Objects;

/**
 * The directory under which a plugin stages and publishes volumes, as both sides see it.
 *
 * @param onHost absolute path on the host
 * @param inPlugin absolute path of the same directory as the plugin sees it
 */
public record MountRoot(Path onHost, Path inPlugin) {
    /**
     * Checks the paths.
     *
     * @throws IllegalArgumentException if one is not absolute
     */
    public MountRoot {
        Objects.requireNonNull(onHost, "onHost");
        Objects.requireNonNull(inPlugin, "inPlugin");
        if (!onHost.isAbsolute() || !inPlugin.isAbsolute()) {
            throw new IllegalArgumentException(
                    "MountRoot: " + onHost + " and " + inPlugin + " must both be absolute paths");
        }
    }

    /**
     * The root of a plugin that sees the host's own file system.
     *
     * @param path absolute path
     * @return the root
     * @throws IllegalArgumentException if the path is not absolute
     */
    public static MountRoot same(Path path) {
        return new MountRoot(path, path);
    }
}
