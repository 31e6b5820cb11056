package io.csi4j.core.lifecycle;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.VolumePhase;
import java.util.Objects;

/**
 * A volume as a listing shows it. {@link ManagedVolumes#get} shows more, to callers who may read it.
 *
 * @param key the volume
 * @param pluginId its plugin
 * @param phase where it is in its life
 * @param schedulable whether it can be claimed on some node now, as far as its plugin goes
 */
public record VolumeSummary(VolumeKey key, PluginId pluginId, VolumePhase phase, boolean schedulable) {
    /** Checks that all parts are there. */
    public VolumeSummary {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(phase, "phase");
    }
}
