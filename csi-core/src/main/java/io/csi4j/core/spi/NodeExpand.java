package io.csi4j.core.spi;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.Objects;

/**
 * Grows what an allocation sees of a volume after the volume itself grew: NodeExpandVolume at the staging path or the
 * target path, which the node knows (R94).
 *
 * @param externalVolumeId what stands for the volume in every call (S3)
 * @param allocationId who uses it
 * @param capability how it is used; tells the plugin block from mount
 * @param mountOptions those it is mounted with, the claim's on top of the volume's
 * @param capacityRange how large it has to be
 * @param secrets what authenticates the call; alpha
 */
public record NodeExpand(
        VolumeKey volume,
        PluginId pluginId,
        ExternalVolumeId externalVolumeId,
        AllocationId allocationId,
        RequestedCapability capability,
        MountOptions mountOptions,
        CapacityRange capacityRange,
        Secrets secrets) {
    public NodeExpand {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(capacityRange, "capacityRange");
        Objects.requireNonNull(secrets, "secrets");
    }

    /**
     * The node's part of an expansion, for one claim.
     *
     * @param claim one of its claims
     * @param capacityRange how large it has to be
     * @param secrets what authenticates the call
     */
    public static NodeExpand of(Volume volume, Claim claim, CapacityRange capacityRange, Secrets secrets) {
        return new NodeExpand(
                volume.key(),
                volume.pluginId(),
                volume.remoteId(),
                claim.allocationId(),
                claim.capability(),
                volume.spec().mountOptions().overriddenBy(claim.mountOptions()),
                capacityRange,
                secrets);
    }
}
