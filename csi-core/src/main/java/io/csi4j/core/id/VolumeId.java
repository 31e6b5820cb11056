package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The host's id of a volume, unique in its namespace. The storage provider's id of a volume is an
 * {@link io.csi4j.core.csi.ExternalVolumeId}.
 *
 * @param value the text, for example {@code db-data}: not empty, at most 128 bytes of UTF-8, without control characters
 *     and unpaired surrogates
 */
public record VolumeId(String value) implements Comparable<VolumeId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public VolumeId {
        IdText.check("VolumeId", "value", value);
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static VolumeId of(String value) {
        return new VolumeId(value);
    }

    /** Orders the ids by the code units of their texts. */
    @Override
    public int compareTo(VolumeId other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the id as text for operators, with escapes for invisible characters. To get the exact id, use
     * {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
