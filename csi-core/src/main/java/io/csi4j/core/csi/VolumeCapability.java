package io.csi4j.core.csi;

import java.util.Objects;
import java.util.Optional;

/**
 * One way of using a volume: block or mount, and who may do so (R96).
 *
 * @param accessType block device or mounted file system
 * @param accessMode who may use it at the same time, and how
 */
public record VolumeCapability(AccessType accessType, AccessMode accessMode) {
    /** Checks that both parts are there. */
    public VolumeCapability {
        Objects.requireNonNull(accessType, "accessType");
        Objects.requireNonNull(accessMode, "accessMode");
    }

    /**
     * Use as a block device.
     *
     * @param accessMode who may use it
     * @return the capability
     */
    public static VolumeCapability block(AccessMode accessMode) {
        return new VolumeCapability(new BlockVolume(), accessMode);
    }

    /**
     * Use as a mounted file system of the plugin's choice.
     *
     * @param accessMode who may use it
     * @return the capability
     */
    public static VolumeCapability mount(AccessMode accessMode) {
        return mount(accessMode, MountVolume.builder().build());
    }

    /**
     * Use as a mounted file system.
     *
     * @param accessMode who may use it
     * @param mount file system, flags and group
     * @return the capability
     */
    public static VolumeCapability mount(AccessMode accessMode, MountVolume mount) {
        return new VolumeCapability(mount, accessMode);
    }

    /**
     * Whether the volume is used as a block device.
     *
     * @return true for block, false for mount
     */
    public boolean isBlock() {
        return accessType instanceof BlockVolume;
    }

    /**
     * The mount options.
     *
     * @return empty for block access
     */
    public Optional<MountVolume> mountVolume() {
        return accessType instanceof MountVolume mount ? Optional.of(mount) : Optional.empty();
    }
}
