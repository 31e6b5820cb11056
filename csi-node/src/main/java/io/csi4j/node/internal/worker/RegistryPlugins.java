package io.csi4j.node.internal.worker;

import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.RegisteredPlugin;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the node plugins of this node in a plugin registry. */
public final class RegistryPlugins implements NodePlugins {
    private static final System.Logger LOG = System.getLogger(RegistryPlugins.class.getName());

    private final PluginRegistry registry;
    private final Path base;
    private final Set<InstanceKey> blind = ConcurrentHashMap.newKeySet();

    public RegistryPlugins(PluginRegistry registry, Path baseDirectory) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.base = baseDirectory.toAbsolutePath().normalize();
    }

    @Override
    public Optional<NodePlugin> find(PluginId pluginId) {
        return registry.snapshot().leader(PluginRole.NODE, pluginId).flatMap(this::plugin);
    }

    private Optional<NodePlugin> plugin(RegisteredPlugin leader) {
        Optional<MountRoot> root = leader.registration().mountRoot();
        if (root.isPresent() && !base.startsWith(root.get().onHost().normalize())) {
            warn(leader.registration().key(), root.get());
            return Optional.empty();
        }
        Optional<Path> baseInPlugin = root.map(
                each -> each.inPlugin().resolve(each.onHost().normalize().relativize(base)));
        return leader.snapshot()
                .facts()
                .flatMap(facts -> facts.capabilities()
                        .node()
                        .map(offered -> new NodePlugin(
                                leader.connection().node(),
                                offered,
                                baseInPlugin,
                                facts.nodeInfo().map(NodeInfo::externalNodeId))));
    }

    private void warn(InstanceKey key, MountRoot root) {
        if (blind.add(key)) {
            blind.removeIf(each -> registry.snapshot().instance(each).isEmpty());
            LOG.log(
                    Level.WARNING,
                    "Plugin instance {0} has {1} of this host mounted, and so cannot see the volumes in {2}; give it a mount root that"
                            + " holds them (PluginPaths.withMountRoot). Until then it is not called for volumes",
                    key,
                    root.onHost(),
                    base);
        }
    }
}
