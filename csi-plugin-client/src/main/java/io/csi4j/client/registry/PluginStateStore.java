package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.StoredPlugins;
import java.util.List;

/** Keeps the instances of a node over restarts of the host. Both methods may block; they never run at the same time. */
public interface PluginStateStore {
    /**
     * Returns the list that was saved last; an empty list if nothing was saved.
     *
     * @throws PluginStoreException if the list cannot be read and an operator has to act
     */
    StoredPlugins load();

    /**
     * Replaces the stored list. When this method returns, the list survives a crash.
     *
     * @param plugins all instances, newest first, and the problem of the list if there is one. The problem is stored with the list, and
     *     {@link #load} returns it until a list without a problem is saved; otherwise an incomplete list would count as complete after the
     *     next restart
     * @throws PluginStoreException if the list could not be stored; the store then has the old list or this one
     */
    void save(StoredPlugins plugins);

    /** Returns a store that keeps nothing. After a restart, the host has to register its instances again, in the same order. */
    static PluginStateStore none() {
        return new PluginStateStore() {
            @Override
            public StoredPlugins load() {
                return StoredPlugins.all(List.of());
            }

            @Override
            public void save(StoredPlugins plugins) {
                // Saves nothing, because this store keeps nothing.
            }
        };
    }
}
