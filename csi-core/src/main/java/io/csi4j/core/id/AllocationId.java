package io.csi4j.core.id;

import io.csi4j.core.csi.Text;

/**
 * The host's id of an allocation: one placed instance of a workload on one node. Unique over all namespaces.
 *
 * @param value the text, for example {@code web-7f3a}: not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates
 */
public record AllocationId(String value) implements Comparable<AllocationId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public AllocationId {
        IdText.check("AllocationId", "value", value);
    }

    /**
     * The id with the given text.
     *
     * @param value the text
     * @return an id
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public static AllocationId of(String value) {
        return new AllocationId(value);
    }

    /** Orders by code unit. */
    @Override
    public int compareTo(AllocationId other) {
        return value.compareTo(other.value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
