package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The storage provider's id of a snapshot (R76).
 *
 * <p>Only emptiness is refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record SnapshotId(String value) {
    /**
     * Checks that there is an id.
     *
     * @throws IllegalArgumentException if the id is empty
     */
    public SnapshotId {
        Objects.requireNonNull(value, "value");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "SnapshotId is empty; give the id that the storage provider made for the snapshot");
        }
    }

    /**
     * The id with the given text.
     *
     * @param value the id, not empty
     * @return an id
     * @throws IllegalArgumentException if the id is empty
     */
    public static SnapshotId of(String value) {
        return new SnapshotId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
