package io.csi4j.agent;

import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.agent.internal.node.TaskDirectories;
import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.PluginChange;
import io.csi4j.client.registry.PluginPaths;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginSupervisor;
import io.csi4j.core.internal.file.OwnDirectory;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.VolumeMounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Starts the plugins and volumes of a node from the settings of its builder. */
final class NodeStarter {
    private NodeStarter() {}

    /**
     * Starts the plugins and volumes. If the start fails, this method stops the parts that were already started, and
     * throws the exception.
     */
    static NodeRuntime start(NodeBuilder<?> settings, Environment environment) throws IOException {
        // Checks the length of the path before anything is created.
        PluginPaths.under(settings.directory);
        Path base = directory(settings.directory);
        // No plugin is found until the registry is open, because registry and volumes depend on each other.
        AtomicReference<@Nullable NodePlugins> plugins = new AtomicReference<>();
        NodePlugins found = pluginId -> Optional.ofNullable(plugins.get()).flatMap(each -> each.find(pluginId));
        VolumeMounter volumes = mounter(settings, environment, base, found);
        try {
            return start(settings, environment, base, plugins, volumes);
        } catch (RuntimeException unstarted) {
            NodeRuntime.awaitStop(volumes.stop(), unstarted);
            throw unstarted;
        }
    }

    private static NodeRuntime start(
            NodeBuilder<?> settings,
            Environment environment,
            Path base,
            AtomicReference<@Nullable NodePlugins> plugins,
            VolumeMounter volumes) {
        PluginPaths paths = PluginPaths.under(base).withMountRoot(volumes(base));
        PluginRegistry registry = registry(settings, environment, base, paths, volumes);
        try {
            plugins.set(NodePlugins.of(registry, volumes(base)));
            PluginSupervisor supervisor =
                    PluginSupervisor.over(registry, paths, settings.restarts, settings.pluginListener);
            Cancellable changes = registry.subscribe((snapshot, changed) -> changed.stream()
                    .map(PluginChange::plugin)
                    .forEach(each ->
                            volumes.pluginChanged(each.registration().key().pluginId())));
            var unused = volumes.start();
            return new NodeRuntime(
                    registry, supervisor, new TaskDirectories(supervisor, volumes(base)), volumes, changes);
        } catch (RuntimeException unstarted) {
            registry.close();
            throw unstarted;
        }
    }

    private static Path directory(Path directory) throws IOException {
        OwnDirectory.make(directory);
        // Resolves symbolic links, because the mount table has paths without them.
        return directory.toRealPath();
    }

    private static Path volumes(Path base) {
        return base.resolve("volumes");
    }

    private static VolumeMounter mounter(
            NodeBuilder<?> settings, Environment environment, Path base, NodePlugins plugins) {
        return settings.mounter.create(NodeVolumes.builder(volumes(base), plugins)
                .environment(environment)
                .mountTable(settings.mountTable)
                .secrets(settings.secrets)
                .publishTokens(settings.tokens)
                .stillRuns(settings.stillRuns)
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
                .stopPolicy(volumes::volumesOf, settings.stopPolicy)
                .clients(settings.clients)
                .open();
    }
}
