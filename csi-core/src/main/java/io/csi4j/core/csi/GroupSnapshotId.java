package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;

/**
 * The storage provider's id of a group snapshot (R97).
 *
 * <p>The id is rejected only if it is empty or not valid Unicode. An id that is longer than the specification permits (R16) is
 * accepted, because the provider knows the group by no other id.
 *
 * @param value the id, not empty
 */
public record GroupSnapshotId(String value) {
    /**
     * Checks the id.
     *
     * @throws IllegalArgumentException if the id is empty or contains an unpaired surrogate
     */
    public GroupSnapshotId {
        Text.checked("GroupSnapshotId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "GroupSnapshotId is empty; give the id that the storage provider made for the group snapshot");
        }
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty or contains an unpaired surrogate
     */
    public static GroupSnapshotId of(String value) {
        return new GroupSnapshotId(value);
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
