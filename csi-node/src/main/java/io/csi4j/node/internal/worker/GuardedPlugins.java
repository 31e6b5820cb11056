package io.csi4j.node.internal.worker;

import io.csi4j.core.id.PluginId;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Finds plugins with the host's {@link NodePlugins}. If the host's code throws, the plugin counts as missing, and the exception is logged
 * once.
 */
public final class GuardedPlugins implements NodePlugins {
    private static final System.Logger LOG = System.getLogger(GuardedPlugins.class.getName());

    private final NodePlugins plugins;
    private final AtomicBoolean failing = new AtomicBoolean();

    public GuardedPlugins(NodePlugins plugins) {
        this.plugins = plugins;
    }

    @Override
    public Optional<NodePlugin> find(PluginId pluginId) {
        try {
            Optional<NodePlugin> found = plugins.find(pluginId);
            failing.set(false);
            return found;
        } catch (RuntimeException e) {
            // Logs the failure once, and not at every call.
            if (!failing.getAndSet(true)) {
                LOG.log(
                        Level.WARNING,
                        "Cannot search for plugins; volumes wait until that works: mend the NodePlugins port",
                        e);
            }
            return Optional.empty();
        }
    }
}
