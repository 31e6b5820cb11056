package io.csi4j.node;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;

/**
 * The ids of a volume that a node needs.
 *
 * @param volume the host's key of the volume, which is part of its paths
 * @param pluginId the plugin of the volume
 * @param externalVolumeId the storage provider's id of the volume, which every call contains
 */
public record NodeVolumeId(VolumeKey volume, PluginId pluginId, ExternalVolumeId externalVolumeId) {
    public NodeVolumeId {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
    }
}
