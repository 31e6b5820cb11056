package io.csi4j.client.registry.instance;

import java.nio.file.Path;
import java.util.Objects;

/**
 * The directory in which a plugin stages and publishes volumes, with its path on the host and its path inside the plugin.
 *
 * @param onHost the absolute path on the host
 * @param inPlugin the absolute path inside the plugin
 */
public record MountRoot(Path onHost, Path inPlugin) {
    /**
     * Checks the paths.
     *
     * @throws IllegalArgumentException if a path is not absolute
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
     * Returns the mount root of a plugin that sees the host's own file system.
     *
     * @throws IllegalArgumentException if the path is not absolute
     */
    public static MountRoot same(Path path) {
        return new MountRoot(path, path);
    }
}
