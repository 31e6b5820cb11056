package io.csi4j.core.state;

import io.csi4j.core.id.VolumeKey;

/**
 * Receives the keys of changed volumes. One thread at a time calls the listener. A slow listener does not delay other
 * listeners.
 */
public interface VolumeListener {
    /**
     * Reports that a volume changed.
     *
     * @param key the volume, which may have been removed
     * @param index the index of the change, or a later one; a snapshot taken now has at least this index
     */
    void changed(VolumeKey key, long index);

    /**
     * Reports that any volume may have changed, because too many volumes changed or the whole state was replaced.
     *
     * @param index the index of the change, or a later one
     */
    void anyChanged(long index);
}
