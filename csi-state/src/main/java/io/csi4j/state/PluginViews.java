package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginView;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Caches the views of plugins until a plugin changes, because a view costs one step for each instance and every grant needs one. Versions of the state share the cache; a transaction that changes a plugin starts a new one.
 * Thread-safe.
 */
final class PluginViews {
    private final ConcurrentMap<PluginId, PluginView> views = new ConcurrentHashMap<>();

    /** Returns the view of a plugin, and computes it if it is not cached. */
    PluginView of(PluginId pluginId, Function<PluginId, PluginView> make) {
        PluginView known = views.get(pluginId);
        if (known != null) {
            return known;
        }
        PluginView made = make.apply(pluginId);
        if (!made.isEmpty()) {
            // Not for unknown plugins, because callers may ask for any number of names.
            views.put(pluginId, made);
        }
        return made;
    }
}
