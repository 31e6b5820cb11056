package io.csi4j.node.internal.worker;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import java.util.Optional;

/**
 * Finds plugins with the host's {@link NodePlugins}. If the host's code throws or returns null, the plugin counts as
 * missing, and the log names the failure.
 */
public final class GuardedPlugins implements NodePlugins {
    private final NodePlugins plugins;
    private final HostCallbacks host;

    public GuardedPlugins(NodePlugins plugins, HostCallbacks host) {
        this.plugins = plugins;
        this.host = host;
    }

    @Override
    public Optional<NodePlugin> find(PluginId pluginId) {
        try {
            return host.watched("NodePlugins.find", () -> plugins.find(pluginId));
        } catch (Exception | Error e) {
            host.failed("NodePlugins.find", e);
            return Optional.empty();
        }
    }
}
