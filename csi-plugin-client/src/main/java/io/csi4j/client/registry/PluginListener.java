package io.csi4j.client.registry;

import java.util.List;

/** Gets the instances of a node and their changes. */
@FunctionalInterface
public interface PluginListener {
    /**
     * Handles a new snapshot. The first call reports every instance as {@code REGISTERED}; each later call reports the
     * changes since the previous call. The calls never overlap, and each has a newer snapshot. A slow listener misses
     * intermediate snapshots and delays no other listener.
     *
     * @param snapshot all instances
     * @param changes the changes since the previous call, in order; may be empty
     */
    void changed(RegistrySnapshot snapshot, List<PluginChange> changes);
}
