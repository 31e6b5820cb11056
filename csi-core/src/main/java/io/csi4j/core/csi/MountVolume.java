package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * Access to a volume as a mounted file system, with the options for the mount.
 *
 * @param fsType the file system, for example {@code ext4}; if it is empty, the plugin chooses
 * @param mountFlags the options of the mount, which are never shown; may be empty
 * @param volumeMountGroup the id of the group that will own the files, as text; only for plugins with
 *     VOLUME_MOUNT_GROUP; empty if there is none
 */
public record MountVolume(String fsType, MountFlags mountFlags, String volumeMountGroup) implements AccessType {
    /**
     * Checks that {@code fsType} and {@code volumeMountGroup} are valid Unicode.
     *
     * @throws IllegalArgumentException if one of these texts contains an unpaired surrogate
     */
    public MountVolume {
        Text.checked("fsType", fsType);
        Objects.requireNonNull(mountFlags, "mountFlags");
        Text.checked("volumeMountGroup", volumeMountGroup);
    }

    /** Returns a builder with empty values. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String toString() {
        return "MountVolume[fsType=" + Text.printable(fsType) + ", mountFlags=" + mountFlags + ", volumeMountGroup="
                + Text.printable(volumeMountGroup) + "]";
    }

    /** Builds {@link MountVolume}s. Not thread-safe. */
    public static final class Builder {
        private String fsType = "";
        private MountFlags mountFlags = MountFlags.empty();
        private String volumeMountGroup = "";

        private Builder() {}

        /**
         * Sets the file system.
         *
         * @param fsType for example {@code ext4}; if it is empty, the plugin chooses
         */
        public Builder fsType(String fsType) {
            this.fsType = fsType;
            return this;
        }

        /** Sets the options of the mount. */
        public Builder mountFlags(MountFlags mountFlags) {
            this.mountFlags = Objects.requireNonNull(mountFlags, "mountFlags");
            return this;
        }

        /**
         * Sets the group that will own the files; only for plugins with VOLUME_MOUNT_GROUP.
         *
         * @param volumeMountGroup a group id as text; empty if there is none
         */
        public Builder volumeMountGroup(String volumeMountGroup) {
            this.volumeMountGroup = volumeMountGroup;
            return this;
        }

        public MountVolume build() {
            return new MountVolume(fsType, mountFlags, volumeMountGroup);
        }
    }
}
