package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;

/** What lanes tell the rest of the engine. */
interface LaneEvents {
    /** A claim on the volume was removed: who waits for it may ask again. */
    void freed(VolumeKey key);

    /** A call of a term that is over ended: if the engine leads again, the volume is to be looked at. */
    void lateCallEnded(VolumeKey key);
}
