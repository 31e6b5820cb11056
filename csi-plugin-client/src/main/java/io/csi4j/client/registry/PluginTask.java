package io.csi4j.client.registry;

import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A task of the host that runs a plugin instance.
 *
 * @param key the instance
 * @param mountDir the path of the socket's directory inside the task; absolute
 * @param stagePublishBaseDir the path of the staging and publishing directory inside the task; absolute; neither inside {@code mountDir}
 *     nor a parent of it
 * @param sharesFileSystem whether the task sees the host's own file system; then nothing is mounted into it, and the two directories above
 *     are ignored
 */
public record PluginTask(InstanceKey key, Path mountDir, Path stagePublishBaseDir, boolean sharesFileSystem) {
    /**
     * Checks that neither directory contains the other, because removing one must not remove the other.
     *
     * @throws IllegalArgumentException if a directory is relative or inside the other one, or both are equal
     */
    public PluginTask {
        Objects.requireNonNull(key, "key");
        if (!mountDir.isAbsolute() || !stagePublishBaseDir.isAbsolute()) {
            throw new IllegalArgumentException("PluginTask: mountDir " + mountDir + " and stagePublishBaseDir "
                    + stagePublishBaseDir + " of " + key + " must be absolute paths");
        }
        mountDir = mountDir.normalize();
        stagePublishBaseDir = stagePublishBaseDir.normalize();
        if (stagePublishBaseDir.startsWith(mountDir) || mountDir.startsWith(stagePublishBaseDir)) {
            throw new IllegalArgumentException("PluginTask: mountDir " + mountDir + " and stagePublishBaseDir "
                    + stagePublishBaseDir + " of " + key
                    + " are one inside the other, and then cleaning up the socket could delete data of volumes;"
                    + " choose two that are apart, for example /csi and /local/csi");
        }
    }

    /** Returns a task with its own file system and the usual directories {@code /csi} and {@code /local/csi}. */
    public static PluginTask isolated(InstanceKey key) {
        return new PluginTask(key, Path.of("/csi"), Path.of("/local/csi"), false);
    }

    /** Returns a task that sees the host's own file system. */
    public static PluginTask onHost(InstanceKey key) {
        return new PluginTask(key, Path.of("/csi"), Path.of("/local/csi"), true);
    }
}
