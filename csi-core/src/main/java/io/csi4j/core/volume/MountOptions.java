package io.csi4j.core.volume;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.internal.text.Text;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The options for mounting a file system.
 *
 * @param fsType for example {@code ext4}; empty if not given
 * @param mountFlags the mount flags, in order; no text or log shows them, because they may contain secrets
 * @param volumeMountGroup the group that will own the files; empty if not given
 * @param ownership how a node gives the files to the group, if the plugin cannot
 * @param securityLabel the label of the mounted files, if the plugin can mount with one. Options without a label do not fit
 *     options with one
 */
public record MountOptions(
        String fsType,
        MountFlags mountFlags,
        String volumeMountGroup,
        OwnershipOptions ownership,
        Optional<SecurityLabel> securityLabel) {
    static final long LARGEST_ID = 0xffff_fffeL;

    private static final Pattern GROUP_NUMBER = Pattern.compile("[1-9][0-9]{0,9}");
    private static final MountOptions NONE = new MountOptions("", MountFlags.empty(), "");

    public MountOptions {
        Text.checked("fsType", fsType);
        Objects.requireNonNull(mountFlags, "mountFlags");
        Text.checked("volumeMountGroup", volumeMountGroup);
        Objects.requireNonNull(ownership, "ownership");
        Objects.requireNonNull(securityLabel, "securityLabel");
    }

    /** Creates options without a security label. */
    public MountOptions(String fsType, MountFlags mountFlags, String volumeMountGroup, OwnershipOptions ownership) {
        this(fsType, mountFlags, volumeMountGroup, ownership, Optional.empty());
    }

    /** Creates options with the default {@link OwnershipOptions}, and without a security label. */
    public MountOptions(String fsType, MountFlags mountFlags, String volumeMountGroup) {
        this(fsType, mountFlags, volumeMountGroup, OwnershipOptions.defaults());
    }

    /** Returns mount options without a file system type and without flags. */
    public static MountOptions none() {
        return NONE;
    }

    /**
     * Returns options with a file system and flags.
     *
     * @param fsType for example {@code ext4}; empty if not given
     * @param flags one option per element
     */
    public static MountOptions of(String fsType, String... flags) {
        return new MountOptions(fsType, MountFlags.of(flags), "");
    }

    /**
     * Returns the volume mount group as a number, with which a node can give the files to the group if the plugin cannot.
     *
     * @return empty if the options name no group, the group of root, or one that is not a number up to 4,294,967,294
     */
    public OptionalLong groupNumber() {
        if (!GROUP_NUMBER.matcher(volumeMountGroup).matches()) {
            return OptionalLong.empty();
        }
        long group = Long.parseLong(volumeMountGroup);
        return group > LARGEST_ID ? OptionalLong.empty() : OptionalLong.of(group);
    }

    /** Returns whether all parts are empty. */
    public boolean isEmpty() {
        return fsType.isEmpty()
                && mountFlags.isEmpty()
                && volumeMountGroup.isEmpty()
                && ownership.equals(OwnershipOptions.defaults())
                && securityLabel.isEmpty();
    }

    /**
     * Returns these options overridden by those of a request: a file system type, flags, a group, a security label or
     * ownership options other than the defaults in the request replace those of these options.
     *
     * @param request the options of an allocation's request
     */
    public MountOptions overriddenBy(MountOptions request) {
        if (request.isEmpty()) {
            return this;
        }
        return new MountOptions(
                request.fsType.isEmpty() ? fsType : request.fsType,
                request.mountFlags.isEmpty() ? mountFlags : request.mountFlags,
                request.volumeMountGroup.isEmpty() ? volumeMountGroup : request.volumeMountGroup,
                request.ownership.equals(OwnershipOptions.defaults()) ? ownership : request.ownership,
                request.securityLabel.isEmpty() ? securityLabel : request.securityLabel);
    }

    /** Returns these options without mount flags, which may contain secrets. */
    public MountOptions withoutFlags() {
        return mountFlags.isEmpty() ? this : withFlags(MountFlags.empty());
    }

    /** Returns these options with other mount flags. */
    public MountOptions withFlags(MountFlags flags) {
        return new MountOptions(fsType, flags, volumeMountGroup, ownership, securityLabel);
    }

    /** Returns these options with a security label. */
    public MountOptions withLabel(SecurityLabel label) {
        return new MountOptions(fsType, mountFlags, volumeMountGroup, ownership, Optional.of(label));
    }

    /**
     * Returns whether one of the mount flags sets another security label than that of these options. False if these have
     * none.
     */
    public boolean labelIsContradicted() {
        return securityLabel.isPresent() && mountFlags.asList().stream().anyMatch(SecurityLabel::isSetBy);
    }

    /**
     * Returns these options without the group and what is done for it, as calls of the controller contain them: only the
     * node service can have VOLUME_MOUNT_GROUP.
     */
    public MountOptions withoutGroup() {
        return new MountOptions(fsType, mountFlags, "", OwnershipOptions.defaults(), securityLabel);
    }

    /** Converts the options to the type that requests to a plugin contain. */
    public MountVolume toMountVolume() {
        return MountVolume.builder()
                .fsType(fsType)
                .mountFlags(mountFlags)
                .volumeMountGroup(volumeMountGroup)
                .build();
    }

    @Override
    public String toString() {
        return "MountOptions[fsType=" + Text.printable(fsType) + ", mountFlags=" + mountFlags + ", volumeMountGroup="
                + Text.printable(volumeMountGroup) + ", ownership=" + ownership + ", securityLabel="
                + securityLabel.map(SecurityLabel::context).orElse("") + "]";
    }
}
