package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;

/**
 * The storage provider's id of a node, as NodeGetInfo returns it (R93).
 *
 * <p>The id is rejected only if it is empty or not valid Unicode. An id that is longer than the specification permits (R16) is
 * accepted, because the provider knows the node by no other id.
 *
 * @param value the id, not empty
 */
public record ExternalNodeId(String value) {
    /**
     * Checks the id.
     *
     * @throws IllegalArgumentException if the id is empty or contains an unpaired surrogate
     */
    public ExternalNodeId {
        Text.checked("ExternalNodeId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "ExternalNodeId is empty; give the id that the storage provider made for the node");
        }
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty or contains an unpaired surrogate
     */
    public static ExternalNodeId of(String value) {
        return new ExternalNodeId(value);
    }

    /**
     * Returns the id as text for operators, with escapes for invisible characters. To get the exact id, use {@link
     * #value}.
     */
    @Override
    public String toString() {
        return Text.printable(value);
    }
}
