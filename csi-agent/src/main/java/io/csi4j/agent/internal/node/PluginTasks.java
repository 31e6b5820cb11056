package io.csi4j.agent.internal.node;

import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.registry.PluginStoreException;
import io.csi4j.registry.PluginSupervisor;
import io.csi4j.registry.PluginTask;
import io.csi4j.registry.Registered;
import io.csi4j.registry.TaskMount;
import io.csi4j.registry.TaskSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Prepares the tasks of plugins. A task with its own file system gets mounts of the directories in which all plugins
 * stage and publish volumes.
 */
public final class PluginTasks {
    private final PluginSupervisor supervisor;
    private final Path volumes;

    public PluginTasks(PluginSupervisor supervisor, Path volumes) {
        this.supervisor = supervisor;
        this.volumes = volumes;
    }

    public TaskSetup prepare(PluginTask task) {
        TaskSetup setup = supervisor.prepare(task);
        if (task.sharesFileSystem()) {
            return setup;
        }
        // Mounts the staging and publish directories separately, because their parent directory contains the ledger,
        // which plugins must not see.
        List<TaskMount> shared = Stream.of("staging", "publish")
                .map(name -> new TaskMount(
                        made(volumes.resolve(name)), task.stagePublishBaseDir().resolve(name), true))
                .toList();
        List<TaskMount> others = setup.mounts().stream()
                .filter(mount -> !mount.taskPath().equals(task.stagePublishBaseDir()))
                .toList();
        return new TaskSetup(
                setup.environment(),
                Stream.concat(others.stream(), shared.stream()).toList(),
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

    public CompletableFuture<Registered> taskStarted(PluginTask task) {
        return supervisor.taskStarted(task);
    }

    public void taskStopping(InstanceKey key) {
        supervisor.taskStopping(key);
    }

    public CompletableFuture<Boolean> taskStopped(InstanceKey key) {
        return supervisor.taskStopped(key);
    }

    public void close() {
        supervisor.close();
    }
}
