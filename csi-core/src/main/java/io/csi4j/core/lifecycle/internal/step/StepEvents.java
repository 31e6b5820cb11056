package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;

/** The events that the ends of calls cause in the rest of the engine. */
public interface StepEvents {
    /** The plugin could not publish the volume to the node. */
    void publishFailed(PluginOnNode pluginOnNode, VolumeKey key, Throwable cause);

    /**
     * The plugin refused permanently to publish the volume for a claim. This method is called before the refusal is
     * stored, so that the engine knows the reason before the claim disappears from the state.
     */
    void claimRefused(VolumeKey key, Claim claim, Throwable cause);

    /** A volume of the plugin was detached from the node. */
    void detached(PluginOnNode pluginOnNode);
}
