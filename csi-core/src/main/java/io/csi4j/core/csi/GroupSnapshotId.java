package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The storage provider's id of a group snapshot (R97).
 *
 * <p>Only emptiness is refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record GroupSnapshotId(String value) {
    /**
     * Checks that there is an id.
     *
     * @throws IllegalArgumentException if the id is empty
     */
    public GroupSnapshotId {
        Objects.requireNonNull(value, "value");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "GroupSnapshotId is empty; give the id that the storage provider made for the group snapshot");
        }
    }

    /**
     * The id with the given text.
     *
     * @param value the id, not empty
     * @return an id
     * @throws IllegalArgumentException if the id is empty
     */
    public static GroupSnapshotId of(String value) {
        return new GroupSnapshotId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
