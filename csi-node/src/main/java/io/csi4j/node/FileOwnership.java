package io.csi4j.node;

import io.csi4j.core.volume.GroupChangePolicy;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The ownership that the files of a mounted volume get.
 *
 * @param group the id of the group, from 0 to 4,294,967,294
 * @param policy which files are changed
 * @param owner the id of the owner that the root directory gets; empty to keep its owner
 * @param excludes the names of the entries of the root directory that are neither changed nor entered, byte by byte; the
 *     same names in other directories mean nothing
 */
public record FileOwnership(long group, GroupChangePolicy policy, OptionalLong owner, List<String> excludes) {
    private static final long LARGEST = 0xffff_fffeL;

    public FileOwnership {
        Objects.requireNonNull(policy, "policy");
        require("group", group);
        owner.ifPresent(id -> require("owner", id));
        excludes = List.copyOf(excludes);
    }

    /** Creates an ownership for all entries of the root directory. */
    public FileOwnership(long group, GroupChangePolicy policy, OptionalLong owner) {
        this(group, policy, owner, List.of());
    }

    private static void require(String field, long id) {
        if (id < 0 || id > LARGEST) {
            throw new IllegalArgumentException(
                    "FileOwnership: " + field + " is " + id + "; give an id from 0 to " + LARGEST);
        }
    }
}
