package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;

/**
 * The use of a volume by an allocation, as the ledger of a node has it: the volume is mounted there for the allocation,
 * or is being mounted or unmounted. Contains nothing confidential.
 *
 * @param volume the volume, as the node knows it
 * @param pluginId the plugin of the volume
 * @param externalVolumeId the storage provider's id of the volume
 * @param allocationId the allocation
 * @param mode READ if the volume is mounted read-only
 * @param capability the access mode and the mount or block type
 * @param leaving whether the node is unmounting the volume for the allocation
 */
public record VolumeUse(
        VolumeKey volume,
        PluginId pluginId,
        ExternalVolumeId externalVolumeId,
        AllocationId allocationId,
        ClaimMode mode,
        RequestedCapability capability,
        boolean leaving) {
    public VolumeUse {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
    }

    /** Returns whether the use is one of this volume, whatever the node calls the volume. */
    public boolean isOf(Volume row) {
        return row.key().equals(volume)
                || (row.pluginId().equals(pluginId) && row.remoteId().equals(externalVolumeId));
    }
}
