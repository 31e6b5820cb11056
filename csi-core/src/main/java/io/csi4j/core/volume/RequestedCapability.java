package io.csi4j.core.volume;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Objects;

/**
 * One way to use a volume, without mount options: the access mode, and block device or mounted file system (R96).
 *
 * @param accessMode how many nodes and allocations may use the volume at the same time, for reading or writing
 * @param attachmentMode block device or mounted file system
 */
public record RequestedCapability(VolumeAccessMode accessMode, AttachmentMode attachmentMode) {
    public RequestedCapability {
        Objects.requireNonNull(accessMode, "accessMode");
        Objects.requireNonNull(attachmentMode, "attachmentMode");
    }

    /** Returns the capability to use a volume as a mounted file system. */
    public static RequestedCapability mount(VolumeAccessMode accessMode) {
        return new RequestedCapability(accessMode, AttachmentMode.MOUNT);
    }

    /** Returns the capability to use a volume as a block device. */
    public static RequestedCapability block(VolumeAccessMode accessMode) {
        return new RequestedCapability(accessMode, AttachmentMode.BLOCK);
    }

    /**
     * Converts the capability to the type that requests to a plugin contain.
     *
     * @param options the mount options; ignored for a block device
     */
    public VolumeCapability toVolumeCapability(MountOptions options) {
        return attachmentMode == AttachmentMode.BLOCK
                ? VolumeCapability.block(accessMode)
                : VolumeCapability.mount(accessMode, options.toMountVolume());
    }
}
