package io.csi4j.core.lifecycle;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.RefusedVolumes.Place;

/** What lanes tell the rest of the engine. */
interface LaneEvents {
    /** A claim on the volume was removed: who waits for it may ask again. */
    void freed(VolumeKey key);

    /** A volume of the plugin could not be published to the node. */
    void publishFailed(Place place, VolumeKey key, Throwable why);

    /** A volume of the plugin is attached to the node no more. */
    void detached(Place place);

    /** What is known of plugins has changed. */
    void pluginsChanged();

    /** A call of a term that is over ended: if the engine leads again, the volume is to be looked at. */
    void lateCallEnded(VolumeKey key);
}
