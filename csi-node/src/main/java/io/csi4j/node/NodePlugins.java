package io.csi4j.node;

import io.csi4j.core.id.PluginId;
import io.csi4j.node.internal.worker.RegistryPlugins;
import io.csi4j.registry.PluginRegistry;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the node plugins of this node. Safe for use by many threads. */
@FunctionalInterface
public interface NodePlugins {
    /**
     * A plugin that can be called now, with capabilities it has told. Does not block.
     *
     * @param pluginId the plugin
     * @return empty while it is not there, not healthy, or has not told what it offers: what needs it then waits
     */
    Optional<NodePlugin> find(PluginId pluginId);

    /**
     * The plugins that lead in a registry. A call that ends with UNAVAILABLE is told to their connection. A plugin
     * with a mount root is given paths as it sees them; one whose root does not hold the base directory cannot see a
     * volume there, and so is not found: a warning says so. One without is taken to see the paths of the host.
     *
     * @param registry knows the plugins; the caller closes it, after the node volumes
     * @param baseDirectory of the node volumes, as it is given to {@link NodeVolumes#builder}
     * @return finds them; see also {@link NodeVolumes#follow}
     */
    static NodePlugins of(PluginRegistry registry, Path baseDirectory) {
        return new RegistryPlugins(registry, baseDirectory);
    }
}
