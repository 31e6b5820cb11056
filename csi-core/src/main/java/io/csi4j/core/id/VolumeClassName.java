package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The name of a volume class, for example {@code fast}. A name that was removed and put again is that of another class;
 * the incarnation distinguishes the two ({@link io.csi4j.core.volume.VolumeClass#createIndex()}).
 *
 * @param value the text: not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates
 */
public record VolumeClassName(String value) implements Comparable<VolumeClassName> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public VolumeClassName {
        IdText.check("VolumeClassName", "value", value);
    }

    /**
     * Returns the name with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static VolumeClassName of(String value) {
        return new VolumeClassName(value);
    }

    /** Orders the names by the code units of their texts. */
    @Override
    public int compareTo(VolumeClassName other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the name as text for operators, with escapes for invisible characters. To get the exact name, use
     * {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
