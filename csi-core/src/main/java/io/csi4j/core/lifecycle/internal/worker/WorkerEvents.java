package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;

/** The events that workers report to the rest of the engine. */
public interface WorkerEvents {
    /** A claim on the volume was removed, so waiting claims may be granted. */
    void freed(VolumeKey key);

    /** The plugin could not publish the volume to the node. */
    void publishFailed(PluginOnNode pluginOnNode, VolumeKey key, Throwable cause);

    /**
     * The plugin refused permanently to publish the volume for a claim. The event comes before the write, so that no claim
     * disappears from the state because of a refusal that the engine does not know yet.
     */
    void claimRefused(VolumeKey key, Claim claim, Throwable cause);

    /** A volume of the plugin was detached from the node. */
    void detached(PluginOnNode pluginOnNode);

    /** The facts of a plugin have changed. */
    void pluginsChanged();

    /** A call of a former term has ended; if the engine leads again, it plans for the volume. */
    void lateCallEnded(VolumeKey key);
}
