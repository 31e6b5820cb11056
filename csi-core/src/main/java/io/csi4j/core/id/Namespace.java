package io.csi4j.core.id;

import io.csi4j.core.csi.Text;

/**
 * A namespace: volume ids are unique within one, so the same id in two of them never collides.
 *
 * @param value the text, for example {@code default}: not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates
 */
public record Namespace(String value) implements Comparable<Namespace> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public Namespace {
        IdText.check("Namespace", "value", value);
    }

    /**
     * The id with the given text.
     *
     * @param value the text
     * @return an id
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public static Namespace of(String value) {
        return new Namespace(value);
    }

    /** Orders by code unit. */
    @Override
    public int compareTo(Namespace other) {
        return value.compareTo(other.value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
