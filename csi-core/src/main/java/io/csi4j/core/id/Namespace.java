package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * A namespace. The id of a volume is unique within its namespace.
 *
 * @param value the text, for example {@code default}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record Namespace(String value) implements Comparable<Namespace> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public Namespace {
        IdText.check("Namespace", "value", value);
    }

    /**
     * Returns the namespace with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static Namespace of(String value) {
        return new Namespace(value);
    }

    /** Orders the namespaces by the code units of their texts. */
    @Override
    public int compareTo(Namespace other) {
        return value.compareTo(other.value);
    }

    /**
     * Returns the namespace as text for operators, with escapes for invisible characters. To get the exact namespace,
     * use {@link #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
