package io.csi4j.node;

import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.id.PluginId;
import io.csi4j.node.internal.worker.RegistryPlugins;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the plugins of this node. Thread-safe. */
@FunctionalInterface
public interface NodePlugins {
    /**
     * Returns a plugin that can be called now, with its capabilities. Does not block.
     *
     * @return the plugin; empty if it is missing or unhealthy, or has not reported its capabilities. If it is empty,
     *     the mounts and unmounts that need the plugin wait
     */
    Optional<NodePlugin> find(PluginId pluginId);

    /**
     * Returns the healthy plugins of a registry. A call that ends with UNAVAILABLE is reported to the plugin's connection. For a plugin
     * with a mount root, paths in calls are converted to the paths inside the plugin. If its mount root does not contain the base
     * directory, the plugin counts as missing, and a warning is logged. A plugin without a mount root gets the paths of the host.
     *
     * @param registry the registry; the caller closes it after the node volumes
     * @param baseDirectory the directory that is passed to {@link NodeVolumes#builder}
     * @return the plugins; see also {@link NodeVolumes#follow}
     */
    static NodePlugins of(PluginRegistry registry, Path baseDirectory) {
        return new RegistryPlugins(registry, baseDirectory);
    }
}
