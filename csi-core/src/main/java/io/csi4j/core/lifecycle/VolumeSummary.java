package io.csi4j.core.lifecycle;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.VolumePhase;
import java.util.Objects;

/**
 * A volume in a list. {@link ManagedVolumes#get} returns more to callers who may read the volume.
 *
 * @param key the key of the volume
 * @param pluginId the plugin of the volume
 * @param phase the phase of the volume, for example CREATING
 * @param schedulable whether the plugin's health now allows a claim on the volume on at least one node
 */
public record VolumeSummary(VolumeKey key, PluginId pluginId, VolumePhase phase, boolean schedulable) {
    public VolumeSummary {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(phase, "phase");
    }
}
