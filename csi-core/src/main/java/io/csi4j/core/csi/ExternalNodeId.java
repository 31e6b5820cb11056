package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The storage provider's id of a node, as NodeGetInfo tells it (R93).
 *
 * <p>Only emptiness is refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record ExternalNodeId(String value) {
    /**
     * Checks that there is an id.
     *
     * @throws IllegalArgumentException if the id is empty
     */
    public ExternalNodeId {
        Objects.requireNonNull(value, "value");
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "ExternalNodeId is empty; give the id that the storage provider made for the node");
        }
    }

    /**
     * The id with the given text.
     *
     * @param value the id, not empty
     * @return an id
     * @throws IllegalArgumentException if the id is empty
     */
    public static ExternalNodeId of(String value) {
        return new ExternalNodeId(value);
    }

    @Override
    public String toString() {
        return value;
    }
}
