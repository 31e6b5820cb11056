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
 * The request to expand a volume on a node for an allocation, after the volume itself was expanded. The node calls
 * NodeExpandVolume and adds the staging path or the target path, which only the node knows (R94).
 *
 * @param volume the key by which the node knows the volume, as in {@link NodeDetach}
 * @param pluginId the plugin of the volume
 * @param externalVolumeId the storage provider's id of the volume, for the call
 * @param allocationId the allocation that uses the volume
 * @param capability the access mode and the mount or block type
 * @param mountOptions the options of the mount: those of the claim override those of the volume
 * @param capacityRange the requested capacity
 * @param secrets the secrets for the call; an alpha field of CSI
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
     * Creates the request for one claim.
     *
     * @param claim a claim of the volume
     * @param capacityRange the requested capacity
     * @param secrets the secrets for the call
     */
    public static NodeExpand of(Volume volume, Claim claim, CapacityRange capacityRange, Secrets secrets) {
        return new NodeExpand(
                claim.formerVolume().orElse(volume.key()),
                volume.pluginId(),
                volume.remoteId(),
                claim.allocationId(),
                claim.capability(),
                volume.spec().mountOptions().overriddenBy(claim.mountOptions()),
                capacityRange,
                secrets);
    }
}
