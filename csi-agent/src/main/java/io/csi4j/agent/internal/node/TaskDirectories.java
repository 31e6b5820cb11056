package io.csi4j.agent.internal.node;

import io.csi4j.client.registry.PluginStoreException;
import io.csi4j.client.registry.PluginSupervisor;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.TaskMount;
import io.csi4j.client.registry.TaskSetup;
import io.csi4j.node.NodeVolumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates the directories of plugins' tasks. A task with its own file system gets mounts of the directories in which
 * all plugins stage and publish volumes.
 */
public final class TaskDirectories {
    private final PluginSupervisor supervisor;
    private final List<Path> shared;

    /**
     * Creates nothing on the disk yet.
     *
     * @param volumes the base directory of the node's volumes
     */
    public TaskDirectories(PluginSupervisor supervisor, Path volumes) {
        this.supervisor = supervisor;
        this.shared = NodeVolumes.pluginDirectories(volumes);
    }

    public TaskSetup prepare(PluginTask task) {
        TaskSetup setup = supervisor.prepare(task);
        if (task.sharesFileSystem()) {
            return setup;
        }
        // Mounts the staging and publish directories separately, because their parent directory contains the ledger,
        // which plugins must not see.
        Stream<TaskMount> mounts = shared.stream()
                .map(directory -> new TaskMount(
                        made(directory), task.stagePublishBaseDir().resolve(directory.getFileName()), true));
        Stream<TaskMount> others =
                setup.mounts().stream().filter(mount -> !mount.taskPath().equals(task.stagePublishBaseDir()));
        return new TaskSetup(
                setup.environment(),
                Stream.concat(others, mounts).toList(),
                setup.linuxCapabilities(),
                setup.registration());
    }

    private static Path made(Path directory) {
        try {
            return Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException unmade) {
            throw new PluginStoreException(
                    "the directory " + directory + " cannot be made: " + unmade
                            + "; see to its permissions and free space",
                    unmade);
        }
    }
}
