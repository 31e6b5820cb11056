package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/**
 * A volume as it was read at an index of the state. Unlike a {@link VolumeSnapshot} it holds no reference to the whole
 * state, so that calls waiting for a permit keep no old state in memory.
 *
 * @param key the volume's key
 * @param volume the volume; null if the state did not have it
 * @param index the index of the state
 */
record VolumeReading(VolumeKey key, @Nullable Volume volume, long index) {
    static VolumeReading in(VolumeSnapshot snapshot) {
        return new VolumeReading(
                snapshot.key(), snapshot.volume(), snapshot.state().index());
    }

    /** Returns the volume from the current state. Reuses this object if the state has not changed. */
    VolumeReading again(Operations operations) {
        var now = operations.state();
        return now.index() == index ? this : in(VolumeSnapshot.at(now, key));
    }
}
