package io.csi4j.core.id;

import io.csi4j.core.csi.Text;

/**
 * The host's id of a node. The provider's id is another type: {@link io.csi4j.core.csi.ExternalNodeId}.
 *
 * @param value the text, for example {@code n1}: not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates
 */
public record NodeId(String value) implements Comparable<NodeId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public NodeId {
        IdText.check("NodeId", "value", value);
    }

    /**
     * The id with the given text.
     *
     * @param value the text
     * @return an id
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters or an unpaired surrogate
     */
    public static NodeId of(String value) {
        return new NodeId(value);
    }

    /** Orders by code unit. */
    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
