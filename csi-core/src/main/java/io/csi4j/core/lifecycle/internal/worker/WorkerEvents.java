package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;

/** What lanes tell the rest of the engine. */
public interface WorkerEvents {
    /** A claim on the volume was removed: who waits for it may ask again. */
    void freed(VolumeKey key);

    /** A volume of the plugin could not be published to the node. */
    void publishFailed(PluginOnNode place, VolumeKey key, Throwable why);

    /**
     * The plugin refused to publish the volume for a claim, and will not be asked again. Comes before that is written:
     * the state shows no claim that is lost to a refusal which the engine does not know.
     */
    void claimRefused(VolumeKey key, Claim claim, Throwable why);

    /** A volume of the plugin is attached to the node no more. */
    void detached(PluginOnNode place);

    /** What is known of plugins has changed. */
    void pluginsChanged();

    /** A call of a term that is over ended: if the engine leads again, the volume is to be looked at. */
    void lateCallEnded(VolumeKey key);
}
