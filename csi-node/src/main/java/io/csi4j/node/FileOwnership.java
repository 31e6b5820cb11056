package io.csi4j.node;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * The ownership that the files of a mounted volume get.
 *
 * @param group the id of the group, from 0 to 4,294,967,294
 * @param extent how much is changed
 * @param owner the id of the owner that the root directory gets; empty to keep its owner
 */
public record FileOwnership(long group, Extent extent, OptionalLong owner) {
    private static final long LARGEST = 0xffff_fffeL;

    public FileOwnership {
        Objects.requireNonNull(extent, "extent");
        require("group", group);
        owner.ifPresent(id -> require("owner", id));
    }

    private static void require(String field, long id) {
        if (id < 0 || id > LARGEST) {
            throw new IllegalArgumentException(
                    "FileOwnership: " + field + " is " + id + "; give an id from 0 to " + LARGEST);
        }
    }

    /** How much of a tree is changed. */
    public enum Extent {
        /** All files, at each mount. */
        ALWAYS,
        /** All files if the root directory does not have the group and its rights; otherwise none. */
        ON_ROOT_MISMATCH,
        /** The root directory alone. */
        ROOT_ONLY
    }
}
