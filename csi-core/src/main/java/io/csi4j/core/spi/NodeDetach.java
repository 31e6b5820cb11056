package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * The request to unmount a volume for an allocation on its node: NodeUnpublishVolume, and NodeUnstageVolume if no other
 * allocation uses the staging path (R47). The request contains all data that the node needs.
 *
 * @param volume the key by which the node knows the volume: that of the volume, or the {@linkplain Claim#formerVolume
 *     former one}
 * @param pluginId the plugin of the volume
 * @param externalVolumeId the storage provider's id of the volume, for the calls
 * @param allocationId the allocation that used the volume
 * @param externalNodeId the storage provider's id of the node; empty if the claim needed none
 * @param mode whether the allocation read or wrote
 * @param capability the access mode and the mount or block type
 * @param mountOptions the options of the mount: those of the claim override those of the volume
 */
public record NodeDetach(
        VolumeKey volume,
        PluginId pluginId,
        ExternalVolumeId externalVolumeId,
        AllocationId allocationId,
        Optional<ExternalNodeId> externalNodeId,
        ClaimMode mode,
        RequestedCapability capability,
        MountOptions mountOptions) {
    public NodeDetach {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /**
     * Creates the request for the release of a claim.
     *
     * @param claim a claim of the volume
     */
    public static NodeDetach of(Volume volume, Claim claim) {
        return new NodeDetach(
                claim.formerVolume().orElse(volume.key()),
                volume.pluginId(),
                volume.remoteId(),
                claim.allocationId(),
                claim.externalNodeId(),
                claim.mode(),
                claim.capability(),
                volume.spec().mountOptions().overriddenBy(claim.mountOptions()));
    }
}
