package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Objects;

/**
 * A query to a node for the usage or the health of a volume that an allocation uses there.
 *
 * @param volume the volume
 * @param pluginId the plugin of the volume
 * @param externalVolumeId the storage provider's id of the volume, for the call
 * @param allocationId the allocation that uses the volume
 */
public record NodeVolumeQuery(
        VolumeKey volume, PluginId pluginId, ExternalVolumeId externalVolumeId, AllocationId allocationId) {
    public NodeVolumeQuery {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(allocationId, "allocationId");
    }

    /**
     * Creates the query for one claim.
     *
     * @param claim a claim of the volume
     */
    public static NodeVolumeQuery of(Volume volume, Claim claim) {
        return new NodeVolumeQuery(volume.key(), volume.pluginId(), volume.remoteId(), claim.allocationId());
    }
}
