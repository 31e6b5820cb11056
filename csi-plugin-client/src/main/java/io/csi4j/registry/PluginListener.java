package io.csi4j.registry;

import java.util.List;

/** Gets the instances of a node and their changes. */
@FunctionalInterface
public interface PluginListener {
    /**
     * Handles a new snapshot. The first call has every instance as {@code REGISTERED}; later calls have the changes since the last call. Calls come one after
     * another, never twice with the same snapshot. A slow listener misses intermediate snapshots and delays no other listener.
     *
     * @param snapshot all instances
     * @param changes the changes since the last call, in order; may be empty
     */
    void changed(RegistrySnapshot snapshot, List<PluginChange> changes);
}
