package io.csi4j.agent;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.VolumeMounter;
import io.csi4j.registry.FilePluginStateStore;
import io.csi4j.registry.PluginChange;
import io.csi4j.registry.PluginPaths;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginSupervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The plugins and volumes of a node at work, with no way to servers yet.
 *
 * @param registry the plugins
 * @param tasks the plugins' tasks
 * @param volumes the volumes; started
 * @param pluginChanges notifies the volumes of changed plugins
 */
record NodeRuntime(PluginRegistry registry, AgentTasks tasks, VolumeMounter volumes, Cancellable pluginChanges) {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    /** Starts the work. If a part cannot start, the parts before it have stopped when this throws. */
    static NodeRuntime start(NodeBuilder<?> settings, Environment environment) throws IOException {
        // Checks the length of the path before anything is made.
        PluginPaths.under(settings.directory);
        Path base = directory(settings.directory);
        AgentPlugins plugins = new AgentPlugins();
        VolumeMounter volumes = mounter(settings, environment, base, plugins);
        try {
            return start(settings, environment, base, plugins, volumes);
        } catch (RuntimeException unstarted) {
            awaitStop(volumes.stop(), unstarted);
            throw unstarted;
        }
    }

    private static NodeRuntime start(
            NodeBuilder<?> settings, Environment environment, Path base, AgentPlugins plugins, VolumeMounter volumes) {
        PluginPaths paths = PluginPaths.under(base);
        PluginRegistry registry = registry(settings, environment, base, paths, volumes);
        try {
            plugins.over(registry);
            PluginSupervisor supervisor =
                    PluginSupervisor.over(registry, paths, settings.restarts, settings.pluginListener);
            Cancellable changes = registry.subscribe((picture, changed) -> changed.stream()
                    .map(PluginChange::plugin)
                    .forEach(each ->
                            volumes.pluginChanged(each.registration().key().pluginId())));
            var unused = volumes.start();
            return new NodeRuntime(registry, new AgentTasks(supervisor, base.resolve("volumes")), volumes, changes);
        } catch (RuntimeException unstarted) {
            registry.close();
            throw unstarted;
        }
    }

    /**
     * Ends the work, and leaves plugins and mounts as they are.
     *
     * @return completes when nothing is written any more
     */
    CompletableFuture<@Nullable Void> close() {
        pluginChanges.cancel();
        tasks.close();
        registry.close();
        return volumes.stop();
    }

    /** Ends the work of a node that did not start: its directory can be used again when this returns. */
    void abandon(Exception unstarted) {
        awaitStop(close(), unstarted);
    }

    private static void awaitStop(CompletableFuture<?> stopped, Exception unstarted) {
        try {
            stopped.get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            unstarted.addSuppressed(e);
        }
    }

    private static Path directory(Path directory) throws IOException {
        if (Files.notExists(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        // The mount table tells paths without links in them.
        return directory.toRealPath();
    }

    private static VolumeMounter mounter(
            NodeBuilder<?> settings, Environment environment, Path base, AgentPlugins plugins) {
        return settings.mounter.create(NodeVolumes.builder(base.resolve("volumes"), plugins)
                .environment(environment)
                .mountTable(settings.mountTable)
                .secrets(settings.secrets)
                .listener(settings.volumeListener)
                .options(settings.volumeOptions));
    }

    private static PluginRegistry registry(
            NodeBuilder<?> settings, Environment environment, Path base, PluginPaths paths, VolumeMounter volumes) {
        return PluginRegistry.builder(settings.nodeId)
                .store(FilePluginStateStore.at(base.resolve("plugins"), paths))
                .environment(environment)
                .options(settings.connections)
                .optionsOf(settings.connectionsOf)
                .leaving(volumes::volumesOf, settings.stopPolicy)
                .clients(settings.clients)
                .open();
    }
}
