package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/**
 * A volume as it was at an index. Unlike a {@link VolumeSnapshot} it may be kept for as long as a call waits for its place: it
 * does not hold on to the state, and a hundred thousand that wait would hold as many states.
 *
 * @param key the volume's key
 * @param volume the volume; null: there was none
 * @param index of the state it was seen in
 */
record VolumeReading(VolumeKey key, @Nullable Volume volume, long index) {
    static VolumeReading in(VolumeSnapshot look) {
        return new VolumeReading(look.key(), look.volume(), look.state().index());
    }

    /** The volume as it is now. Costs nothing while nothing has changed at all. */
    VolumeReading again(Operations operations) {
        var now = operations.state();
        return now.index() == index ? this : in(VolumeSnapshot.at(now, key));
    }
}
