package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.VolumeKey;

/** The events that the ends of calls cause in the rest of the engine. */
public interface StepEvents {
    /** The plugin could not publish the volume to the node. */
    void publishFailed(PluginOnNode pluginOnNode, VolumeKey key, Throwable cause);

    /** A volume of the plugin was detached from the node. */
    void detached(PluginOnNode pluginOnNode);
}
