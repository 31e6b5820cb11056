package io.csi4j.agent;

import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.registry.InstanceFacts;
import io.csi4j.registry.MountRoot;
import io.csi4j.registry.PluginPicture;
import io.csi4j.registry.PluginRegistration;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginRole;
import io.csi4j.registry.RegisteredPlugin;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The plugins of the registry, as the volumes of the node and the clients need them. */
final class AgentPlugins implements NodePlugins {
    private final UnaryOperator<CsiClient.Builder> clients;
    /** Set before anybody asks: the registry makes clients, and clients ask the registry. */
    private volatile @Nullable PluginRegistry registry;

    AgentPlugins(UnaryOperator<CsiClient.Builder> clients) {
        this.clients = clients;
    }

    void over(PluginRegistry opened) {
        this.registry = opened;
    }

    @Override
    public Optional<NodePlugin> find(PluginId pluginId) {
        return picture().flatMap(now -> now.leader(PluginRole.NODE, pluginId)).flatMap(AgentPlugins::node);
    }

    private static Optional<NodePlugin> node(RegisteredPlugin plugin) {
        return plugin.snapshot()
                .facts()
                .flatMap(InstanceFacts::nodeCapabilities)
                .map(told -> new NodePlugin(
                        plugin.connection().client().node(),
                        told,
                        plugin.registration().mountRoot().flatMap(AgentPlugins::elsewhere)));
    }

    /** Where a plugin sees our volumes that has a file system of its own. */
    private static Optional<Path> elsewhere(MountRoot root) {
        return root.onHost().equals(root.inPlugin()) ? Optional.empty() : Optional.of(root.inPlugin());
    }

    /**
     * The client of an instance, which knows at every call what the instance has announced. It calls the plugin as the
     * servers do, so that its refusals read the same on both sides.
     */
    CsiClient client(PluginRegistration registration) {
        InstanceKey key = registration.key();
        return clients.apply(CsiClient.builder(Endpoint.unix(registration.socket()))
                        .plugin(key.pluginId().value())
                        .capabilities(() -> announced(key)))
                .build();
    }

    private Capabilities announced(InstanceKey key) {
        return picture()
                .flatMap(now -> now.instance(key))
                .flatMap(each -> each.snapshot().facts())
                .map(AgentPlugins::announced)
                .orElseGet(Capabilities::unknown);
    }

    private static Capabilities announced(InstanceFacts facts) {
        return new Capabilities(
                Optional.of(facts.services()),
                facts.controllerCapabilities(),
                facts.groupControllerCapabilities(),
                facts.nodeCapabilities());
    }

    private Optional<PluginPicture> picture() {
        return Optional.ofNullable(registry).map(PluginRegistry::picture);
    }
}
