package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/**
 * A volume in one snapshot of the state.
 *
 * @param state the snapshot of the state
 * @param key the volume's key
 * @param volume the volume; null if the state does not have it
 */
public record VolumeSnapshot(
        StateReader state, VolumeKey key, @Nullable Volume volume) {
    static VolumeSnapshot at(StateReader state, VolumeKey key) {
        return new VolumeSnapshot(state, key, state.volume(key).orElse(null));
    }
}
