package io.csi4j.core.id;

/**
 * The host's id of a node. The provider's id is another type: {@link io.csi4j.core.csi.ExternalNodeId}.
 *
 * @param value the text, for example {@code n1}: not empty, at most 128 bytes of UTF-8, without control characters
 */
public record NodeId(String value) implements Comparable<NodeId> {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters
     */
    public NodeId {
        IdText.check("NodeId", value);
    }

    /**
     * The id with the given text.
     *
     * @param value the text
     * @return an id
     * @throws IllegalArgumentException if it is empty, too long, or holds control characters
     */
    public static NodeId of(String value) {
        return new NodeId(value);
    }

    /** Orders by code unit. */
    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
