package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;

/**
 * The storage provider's id of a snapshot (R76).
 *
 * <p>The id is rejected only if it is empty or not valid Unicode. An id that is longer than the specification permits (R16) is
 * accepted, because the provider knows the snapshot by no other id.
 *
 * @param value the id, not empty
 */
public record SnapshotId(String value) {
    /**
     * Checks the id.
     *
     * @throws IllegalArgumentException if the id is empty or contains an unpaired surrogate
     */
    public SnapshotId {
        Text.checked("SnapshotId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "SnapshotId is empty; give the id that the storage provider made for the snapshot");
        }
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty or contains an unpaired surrogate
     */
    public static SnapshotId of(String value) {
        return new SnapshotId(value);
    }

    /**
     * Returns the id as text for operators, with escapes for invisible characters. To get the exact id, use {@link
     * #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
