package io.csi4j.core.volume;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Text;
import java.util.Objects;

/**
 * How a file system is mounted. A part that is empty is not given; "no options" and "empty options"
 * are the same value.
 *
 * @param fsType for example {@code ext4}; empty: not given
 * @param mountFlags options in their order; never shown
 * @param volumeMountGroup the group that shall own the files; empty: not given
 */
public record MountOptions(String fsType, MountFlags mountFlags, String volumeMountGroup) {
    private static final MountOptions NONE = new MountOptions("", MountFlags.empty(), "");

    /** Checks that no part is null. */
    public MountOptions {
        Text.checked("fsType", fsType);
        Objects.requireNonNull(mountFlags, "mountFlags");
        Text.checked("volumeMountGroup", volumeMountGroup);
    }

    /**
     * Nothing given.
     *
     * @return the empty options
     */
    public static MountOptions none() {
        return NONE;
    }

    /**
     * A file system with flags.
     *
     * @param fsType for example {@code ext4}; empty: not given
     * @param flags one option an element
     * @return the options
     */
    public static MountOptions of(String fsType, String... flags) {
        return new MountOptions(fsType, MountFlags.of(flags), "");
    }

    /**
     * Whether nothing is given.
     *
     * @return true if all parts are empty
     */
    public boolean isEmpty() {
        return fsType.isEmpty() && mountFlags.isEmpty() && volumeMountGroup.isEmpty();
    }

    /**
     * These options with those of a request on top: each part the request gives replaces this one's (S23).
     *
     * @param request what an allocation asks for
     * @return what to mount with
     */
    public MountOptions overriddenBy(MountOptions request) {
        if (request.isEmpty()) {
            return this;
        }
        return new MountOptions(
                request.fsType.isEmpty() ? fsType : request.fsType,
                request.mountFlags.isEmpty() ? mountFlags : request.mountFlags,
                request.volumeMountGroup.isEmpty() ? volumeMountGroup : request.volumeMountGroup);
    }

    /**
     * These options as they are shown: mount flags may hold secrets.
     *
     * @return the same without mount flags
     */
    public MountOptions withoutFlags() {
        return mountFlags.isEmpty() ? this : new MountOptions(fsType, MountFlags.empty(), volumeMountGroup);
    }

    /**
     * The options as calls to a plugin carry them.
     *
     * @return the same parts
     */
    public MountVolume toMountVolume() {
        return MountVolume.builder()
                .fsType(fsType)
                .mountFlags(mountFlags)
                .volumeMountGroup(volumeMountGroup)
                .build();
    }

    @Override
    public String toString() {
        return "MountOptions[fsType=" + Text.shown(fsType) + ", mountFlags=" + mountFlags + ", volumeMountGroup="
                + Text.shown(volumeMountGroup) + "]";
    }
}
