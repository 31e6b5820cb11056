package io.csi4j.agent.internal.node;

import io.csi4j.core.id.PluginId;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.RegisteredPlugin;
import io.csi4j.registry.instance.InstanceFacts;
import io.csi4j.registry.instance.MountRoot;
import io.csi4j.registry.instance.PluginRole;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds in the registry the node plugin that mounts a volume. */
public final class RegistryNodePlugins implements NodePlugins {
    /** Null until {@link #over} is called after the constructor, because registry and volumes depend on each other. */
    private volatile @Nullable PluginRegistry registry;

    public void over(PluginRegistry opened) {
        this.registry = opened;
    }

    @Override
    public Optional<NodePlugin> find(PluginId pluginId) {
        return Optional.ofNullable(registry)
                .flatMap(known -> known.snapshot().leader(PluginRole.NODE, pluginId))
                .flatMap(RegistryNodePlugins::node);
    }

    private static Optional<NodePlugin> node(RegisteredPlugin plugin) {
        return plugin.snapshot()
                .facts()
                .flatMap(InstanceFacts::nodeCapabilities)
                .map(reported -> new NodePlugin(
                        plugin.connection().node(),
                        reported,
                        plugin.registration().mountRoot().flatMap(RegistryNodePlugins::elsewhere)));
    }

    /**
     * Returns the path at which a plugin with its own file system sees the base directory; empty for a plugin that sees the host's paths.
     */
    private static Optional<Path> elsewhere(MountRoot root) {
        return root.onHost().equals(root.inPlugin()) ? Optional.empty() : Optional.of(root.inPlugin());
    }
}
