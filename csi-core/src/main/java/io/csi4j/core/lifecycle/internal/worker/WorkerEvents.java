package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;

/** The events that workers report to the rest of the engine. */
public interface WorkerEvents {
    /** The plugin could not publish the volume to the node. */
    void publishFailed(PluginOnNode pluginOnNode, VolumeKey key, Throwable cause);

    /**
     * The plugin refused permanently to publish the volume for a claim. This method is called before the refusal is
     * stored, so that the engine knows the reason before the claim disappears from the state.
     */
    void claimRefused(VolumeKey key, Claim claim, Throwable cause);

    /** A volume of the plugin was detached from the node. */
    void detached(PluginOnNode pluginOnNode);

    /** The capabilities or the health of a plugin have changed. */
    void pluginsChanged();

    /**
     * A call that began in an earlier term of leadership has ended. If the engine leads again, it plans for the volume.
     */
    void lateCallEnded(VolumeKey key);
}
