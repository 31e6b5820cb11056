package io.csi4j.core.volume;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.VolumeCapability;
import java.util.Objects;

/**
 * One way of using a volume, without its mount options: who may use it at the same time, and how it
 * is presented (R96).
 *
 * @param accessMode who may use it at the same time, and how
 * @param attachmentMode block device or mounted file system
 */
public record RequestedCapability(AccessMode accessMode, AttachmentMode attachmentMode) {
    /** Checks that both parts are there. */
    public RequestedCapability {
        Objects.requireNonNull(accessMode, "accessMode");
        Objects.requireNonNull(attachmentMode, "attachmentMode");
    }

    /**
     * Use as a mounted file system.
     *
     * @param accessMode who may use it
     * @return the capability
     */
    public static RequestedCapability mount(AccessMode accessMode) {
        return new RequestedCapability(accessMode, AttachmentMode.MOUNT);
    }

    /**
     * Use as a block device.
     *
     * @param accessMode who may use it
     * @return the capability
     */
    public static RequestedCapability block(AccessMode accessMode) {
        return new RequestedCapability(accessMode, AttachmentMode.BLOCK);
    }

    /**
     * The capability as calls to a plugin carry it.
     *
     * @param options the mount options; of no account for a block device
     * @return the capability with its options
     */
    public VolumeCapability toVolumeCapability(MountOptions options) {
        return attachmentMode == AttachmentMode.BLOCK
                ? VolumeCapability.block(accessMode)
                : VolumeCapability.mount(accessMode, options.toMountVolume());
    }
}
