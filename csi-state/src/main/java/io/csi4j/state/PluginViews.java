package io.csi4j.state;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginView;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Caches the views of plugins until a plugin changes, because computing a view reads all instances of the plugin, and
 * every grant needs a view. Snapshots between which no plugin changed share one cache; a transaction that changes a
 * plugin starts a new one. Thread-safe.
 */
final class PluginViews {
    private final ConcurrentMap<PluginId, PluginView> views = new ConcurrentHashMap<>();

    /** Returns the view of a plugin; computes it if it is not cached. */
    PluginView of(PluginId pluginId, Function<PluginId, PluginView> make) {
        PluginView known = views.get(pluginId);
        if (known != null) {
            return known;
        }
        PluginView made = make.apply(pluginId);
        if (!made.isEmpty()) {
            // Does not cache the views of unknown plugins, because callers may ask for any number of unknown names.
            views.put(pluginId, made);
        }
        return made;
    }
}
