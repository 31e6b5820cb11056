package io.csi4j.core.state;

import io.csi4j.core.id.VolumeKey;

/** Hears which volumes changed. Called by one thread at a time; one that is slow delays nobody. */
public interface VolumeListener {
    /**
     * A volume changed.
     *
     * @param key the volume; it may be gone
     * @param index when it changed, or later: take a snapshot, it is at least that new
     */
    void changed(VolumeKey key, long index);

    /**
     * Any volume may have changed: which ones is not known, because there were too many or because the state was
     * replaced.
     *
     * @param index when, or later
     */
    void anyChanged(long index);
}
