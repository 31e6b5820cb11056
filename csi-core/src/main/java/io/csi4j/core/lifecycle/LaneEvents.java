package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;

/** What lanes tell the rest of the engine. */
interface LaneEvents {
    /** A claim on the volume was removed: who waits for it may ask again. */
    void freed(VolumeKey key);

    /** A volume of the plugin could not be published to the node. */
    void publishFailed(PluginId plugin, NodeId nodeId, Throwable why);

    /** A call of a term that is over ended: if the engine leads again, the volume is to be looked at. */
    void lateCallEnded(VolumeKey key);
}
