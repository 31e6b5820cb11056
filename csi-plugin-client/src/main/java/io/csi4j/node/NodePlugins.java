package io.csi4j.node;

import io.csi4j.core.id.PluginId;
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
}
