package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The name that the host gives a snapshot in the state. Unique within its namespace. The storage provider's id of a snapshot
 * is a {@link io.csi4j.core.csi.SnapshotId}.
 *
 * @param value the text, for example {@code db-monday}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record SnapshotName(String value) implements Comparable<SnapshotName> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public SnapshotName {
        IdText.check("SnapshotName", "value", value);
    }

    /**
     * Returns the name with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static SnapshotName of(String value) {
        return new SnapshotName(value);
    }

    /** Orders the names by the code units of their texts. */
    @Override
    public int compareTo(SnapshotName other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the name as text for operators, with escapes for invisible characters. To get the exact name,
     * use {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
