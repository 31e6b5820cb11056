package io.csi4j.core.csi;

import java.util.Objects;
import java.util.Optional;

/**
 * One way to use a volume: as a block device or a mounted file system, and with an access mode (R96).
 *
 * @param accessType block device or mounted file system
 * @param accessMode how many nodes and paths may use the volume at the same time, for reading or writing
 */
public record VolumeCapability(AccessType accessType, VolumeAccessMode accessMode) {
    public VolumeCapability {
        Objects.requireNonNull(accessType, "accessType");
        Objects.requireNonNull(accessMode, "accessMode");
    }

    /** Returns the capability for use as a block device. */
    public static VolumeCapability block(VolumeAccessMode accessMode) {
        return new VolumeCapability(new BlockVolume(), accessMode);
    }

    /** Returns the capability for use as a mounted file system. The plugin chooses the type of the file system. */
    public static VolumeCapability mount(VolumeAccessMode accessMode) {
        return mount(accessMode, MountVolume.builder().build());
    }

    /**
     * Returns the capability for use as a mounted file system.
     *
     * @param mount the file system, the flags and the group
     */
    public static VolumeCapability mount(VolumeAccessMode accessMode, MountVolume mount) {
        return new VolumeCapability(mount, accessMode);
    }

    /** Returns whether the volume is used as a block device. */
    public boolean isBlock() {
        return accessType instanceof BlockVolume;
    }

    /** Returns the mount options; empty for a block device. */
    public Optional<MountVolume> mountVolume() {
        return accessType instanceof MountVolume mount ? Optional.of(mount) : Optional.empty();
    }
}
