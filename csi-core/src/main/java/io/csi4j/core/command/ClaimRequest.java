package io.csi4j.core.command;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.Objects;

/**
 * What an allocation wants of one volume.
 *
 * @param volume the volume
 * @param mode what it does with it
 * @param capability how it uses it
 * @param mountOptions on top of the volume's; possibly empty
 */
public record ClaimRequest(
        VolumeKey volume, ClaimMode mode, RequestedCapability capability, MountOptions mountOptions) {
    /** Checks that all parts are there. */
    public ClaimRequest {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /**
     * A request with the volume's own mount options.
     *
     * @param volume the volume
     * @param mode what the allocation does with it
     * @param capability how it uses it
     * @return the request
     */
    public static ClaimRequest of(VolumeKey volume, ClaimMode mode, RequestedCapability capability) {
        return new ClaimRequest(volume, mode, capability, MountOptions.none());
    }
}
