package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The host's id of an allocation: one placement of a workload on one node. Unique over all namespaces.
 *
 * @param value the text, for example {@code web-7f3a}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record AllocationId(String value) implements Comparable<AllocationId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public AllocationId {
        IdText.check("AllocationId", "value", value);
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static AllocationId of(String value) {
        return new AllocationId(value);
    }

    /** Orders the ids by the code units of their texts. */
    @Override
    public int compareTo(AllocationId other) {
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
