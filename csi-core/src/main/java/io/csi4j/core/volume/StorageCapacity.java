package io.csi4j.core.volume;

import io.csi4j.core.csi.Topology;
import java.util.Optional;

/**
 * The free capacity that plugins have reported, by class and topology. It is advice for placements and no part of the
 * state: it differs between servers and is lost with the leader. Thread-safe.
 */
public interface StorageCapacity {
    /** Returns a capacity that knows nothing, as on a server that does not lead. */
    static StorageCapacity unknown() {
        return new StorageCapacity() {
            @Override
            public Optional<PlaceCapacity> at(VolumeClass volumeClass, Optional<Topology> topology) {
                return Optional.empty();
            }

            @Override
            public void refused(VolumeClass volumeClass, Optional<Topology> topology) {}
        };
    }

    /**
     * Returns what is known now. The leader asks plugins first for the topologies that were read here a short time ago, and
     * of a class with many topologies only for these.
     *
     * @param volumeClass the class as the state has it; an answer for other values of the class does not count
     * @param topology the complete topology of a node; empty if the plugin has no topologies
     * @return the capacity; empty if nothing is known
     */
    Optional<PlaceCapacity> at(VolumeClass volumeClass, Optional<Topology> topology);

    /** Takes note that a placement was refused because of the known capacity. The leader then asks the plugin again soon. */
    void refused(VolumeClass volumeClass, Optional<Topology> topology);
}
