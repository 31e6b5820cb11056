package io.csi4j.registry;

import io.csi4j.registry.instance.StoredPlugins;
import java.util.List;

/**
 * Keeps the instances of a node over restarts of the host. Both calls may block; they never run at the same
 * time.
 */
public interface PluginStateStore {
    /**
     * What was saved last.
     *
     * @return nothing, if nothing ever was
     * @throws PluginStoreException if it cannot be told, and an operator has to look
     */
    StoredPlugins load();

    /**
     * Keeps these instances in place of those that were kept before. When it returns, they outlive a crash.
     *
     * @param plugins all instances, the newest first, and the problem, if there is one: it is kept with them, and given
     *     back by {@link #load}, until it is saved without. Otherwise the next restart would take what is there for all
     *     there is
     * @throws PluginStoreException if they could not be kept; then those before are, or these
     */
    void save(StoredPlugins plugins);

    /**
     * Keeps nothing: after a restart the host registers its instances again, in their order.
     *
     * @return a store without memory
     */
    static PluginStateStore none() {
        return new PluginStateStore() {
            @Override
            public StoredPlugins load() {
                return StoredPlugins.all(List.of());
            }

            @Override
            public void save(StoredPlugins plugins) {
                // Nothing is promised by this store.
            }
        };
    }
}
