package io.csi4j.registry;

import io.csi4j.core.plugin.InstanceKey;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A task of the host that runs an instance of a plugin.
 *
 * @param key which instance
 * @param mountDir where the task sees the directory of its socket; absolute
 * @param stagePublishBaseDir where the task sees the directory below which it stages and publishes; absolute, not in
 *     {@code mountDir} and not around it
 * @param sharesFileSystem whether the task sees the host's own file system; then nothing is mounted into it, and the
 *     two directories above are not used
 */
public record PluginTask(InstanceKey key, Path mountDir, Path stagePublishBaseDir, boolean sharesFileSystem) {
    /**
     * Checks the directories: what cleans up one of them must not reach the other.
     *
     * @throws IllegalArgumentException if one is relative, or inside the other, or both are the same
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

    /**
     * A task with a file system of its own and the usual directories, {@code /csi} and {@code /local/csi}.
     *
     * @param key which instance
     * @return the task
     */
    public static PluginTask isolated(InstanceKey key) {
        return new PluginTask(key, Path.of("/csi"), Path.of("/local/csi"), false);
    }

    /**
     * A task that sees the host's own file system.
     *
     * @param key which instance
     * @return the task
     */
    public static PluginTask onHost(InstanceKey key) {
        return new PluginTask(key, Path.of("/csi"), Path.of("/local/csi"), true);
    }
}
