package io.csi4j.core.csi;

import java.util.Objects;

/** Access as a mounted file system. Every part may be empty: then the plugin chooses. */
public final class MountVolume implements AccessType {
    private final String fsType;
    private final MountFlags mountFlags;
    private final String volumeMountGroup;

    private MountVolume(Builder builder) {
        this.fsType = builder.fsType;
        this.mountFlags = builder.mountFlags;
        this.volumeMountGroup = builder.volumeMountGroup;
    }

    /**
     * A builder with every part empty.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The file system.
     *
     * @return for example {@code ext4}; empty: the plugin chooses
     */
    public String fsType() {
        return fsType;
    }

    /**
     * Options for the mount.
     *
     * @return possibly empty, never shown
     */
    public MountFlags mountFlags() {
        return mountFlags;
    }

    /**
     * The group that shall own the files; needs VOLUME_MOUNT_GROUP.
     *
     * @return a group id as text; empty: none
     */
    public String volumeMountGroup() {
        return volumeMountGroup;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MountVolume mount
                && fsType.equals(mount.fsType)
                && mountFlags.equals(mount.mountFlags)
                && volumeMountGroup.equals(mount.volumeMountGroup);
    }

    @Override
    public int hashCode() {
        return Objects.hash(fsType, mountFlags, volumeMountGroup);
    }

    @Override
    public String toString() {
        return "MountVolume[fsType=" + Text.shown(fsType) + ", mountFlags=" + mountFlags + ", volumeMountGroup="
                + Text.shown(volumeMountGroup) + "]";
    }

    /** Builds {@link MountVolume}s. Not safe for use by several threads. */
    public static final class Builder {
        private String fsType = "";
        private MountFlags mountFlags = MountFlags.empty();
        private String volumeMountGroup = "";

        private Builder() {}

        /**
         * Sets the file system.
         *
         * @param fsType for example {@code ext4}; empty: the plugin chooses
         * @return this
         */
        public Builder fsType(String fsType) {
            this.fsType = Text.checked("fsType", fsType);
            return this;
        }

        /**
         * Sets the options for the mount.
         *
         * @param mountFlags possibly empty
         * @return this
         */
        public Builder mountFlags(MountFlags mountFlags) {
            this.mountFlags = Objects.requireNonNull(mountFlags, "mountFlags");
            return this;
        }

        /**
         * Sets the group that shall own the files; needs VOLUME_MOUNT_GROUP.
         *
         * @param volumeMountGroup a group id as text; empty: none
         * @return this
         */
        public Builder volumeMountGroup(String volumeMountGroup) {
            this.volumeMountGroup = Text.checked("volumeMountGroup", volumeMountGroup);
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public MountVolume build() {
            return new MountVolume(this);
        }
    }
}
