package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginView;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * The views of plugins that were asked for, as long as nothing of any plugin changes: each is the work of as many steps
 * as the plugin has instances, and whoever is granted a claim wants one. Versions of the state share them, and a
 * transaction that changes something of a plugin begins anew. Safe for use by many threads.
 */
final class PluginViews {
    private final ConcurrentMap<PluginId, PluginView> views = new ConcurrentHashMap<>();

    /** The view of a plugin, made if nobody has asked for it yet. */
    PluginView of(PluginId pluginId, Function<PluginId, PluginView> make) {
        PluginView known = views.get(pluginId);
        if (known != null) {
            return known;
        }
        PluginView made = make.apply(pluginId);
        if (!made.isEmpty()) {
            // Of others anybody may ask, for as many names as there are.
            views.put(pluginId, made);
        }
        return made;
    }
}
