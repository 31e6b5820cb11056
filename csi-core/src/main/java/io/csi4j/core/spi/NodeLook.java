package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Objects;

/**
 * Asks a node about a volume that an allocation uses there.
 *
 * @param externalVolumeId what stands for the volume in every call (S3)
 * @param allocationId who uses it
 */
public record NodeLook(
        VolumeKey volume, PluginId pluginId, ExternalVolumeId externalVolumeId, AllocationId allocationId) {
    public NodeLook {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(allocationId, "allocationId");
    }

    /**
     * A look at what one claim is about.
     *
     * @param claim one of its claims
     */
    public static NodeLook of(Volume volume, Claim claim) {
        return new NodeLook(volume.key(), volume.pluginId(), volume.remoteId(), claim.allocationId());
    }
}
