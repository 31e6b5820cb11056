package io.csi4j.node;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;

/**
 * A volume as a node has to know it: by its name with the host, and by its name with its provider.
 *
 * @param volume its name with the host; paths are made of it
 * @param pluginId its plugin
 * @param externalVolumeId what stands for the volume in every call (S3)
 */
public record NodeVolumeId(VolumeKey volume, PluginId pluginId, ExternalVolumeId externalVolumeId) {
    /** Checks that all parts are there. */
    public NodeVolumeId {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
    }
}
