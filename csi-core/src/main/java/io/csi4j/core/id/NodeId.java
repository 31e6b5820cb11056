package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;

/**
 * The host's id of a node. The storage provider's id of a node is an {@link io.csi4j.core.csi.ExternalNodeId}.
 *
 * @param value the text, for example {@code n1}: not empty, at most 128 bytes of UTF-8, without control characters and
 *     unpaired surrogates
 */
public record NodeId(String value) implements Comparable<NodeId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired surrogate
     */
    public NodeId {
        IdText.check("NodeId", "value", value);
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has control characters or an unpaired
     *     surrogate
     */
    public static NodeId of(String value) {
        return new NodeId(value);
    }

    /** Orders the ids by the code units of their texts. */
    @Override
    public int compareTo(NodeId other) {
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
