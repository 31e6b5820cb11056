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
 * Takes a volume from an allocation on its node: NodeUnpublishVolume, and NodeUnstageVolume if it was the last user of
 * the staging path (R47). Holds all the node needs, so that it never asks back (S5).
 *
 * @param externalVolumeId what stands for the volume in every call (S3)
 * @param allocationId who used it
 * @param externalNodeId the provider's id of the node; empty: none was needed
 * @param mode what the allocation did with it
 * @param capability how it was used
 * @param mountOptions those it was mounted with, the claim's on top of the volume's
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
     * The node's part of the release of a claim.
     *
     * @param claim one of its claims
     */
    public static NodeDetach of(Volume volume, Claim claim) {
        return new NodeDetach(
                volume.key(),
                volume.pluginId(),
                volume.remoteId(),
                claim.allocationId(),
                claim.externalNodeId(),
                claim.mode(),
                claim.capability(),
                volume.spec().mountOptions().overriddenBy(claim.mountOptions()));
    }
}
