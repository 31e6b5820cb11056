package io.csi4j.core.volume;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * How a node gives the files of a mounted volume to the volume mount group, if the plugin cannot (VOLUME_MOUNT_GROUP).
 *
 * @param policy which files are changed
 * @param rootOwner the id of the user who will own the root directory, from 0 to 4,294,967,294; empty to keep its owner
 * @param strict whether a mount fails if the plugin sets the group, and the root directory does not show it; otherwise the
 *     mount has a warning
 */
public record OwnershipOptions(GroupChangePolicy policy, OptionalLong rootOwner, boolean strict) {
    private static final OwnershipOptions DEFAULT =
            new OwnershipOptions(GroupChangePolicy.ON_ROOT_MISMATCH, OptionalLong.empty());

    /**
     * Checks the id of the owner.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public OwnershipOptions {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(rootOwner, "rootOwner");
        if (rootOwner.isPresent() && (rootOwner.getAsLong() < 0 || rootOwner.getAsLong() > MountOptions.LARGEST_ID)) {
            throw new IllegalArgumentException("OwnershipOptions: rootOwner is " + rootOwner.getAsLong()
                    + "; give the id of a user, from 0 to " + MountOptions.LARGEST_ID);
        }
    }

    /** Creates options that are not strict. */
    public OwnershipOptions(GroupChangePolicy policy, OptionalLong rootOwner) {
        this(policy, rootOwner, false);
    }

    /** Returns the options of a request that says nothing about them: ON_ROOT_MISMATCH, and the owner stays. */
    public static OwnershipOptions defaults() {
        return DEFAULT;
    }
}
