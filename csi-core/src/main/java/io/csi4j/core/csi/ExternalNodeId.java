package io.csi4j.core.csi;

/**
 * The storage provider's id of a node, as NodeGetInfo tells it (R93).
 *
 * <p>Only emptiness and texts that are no Unicode are refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record ExternalNodeId(String value) {
    /**
     * Checks that there is an id, and that it can be stored.
     *
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public ExternalNodeId {
        Text.checked("ExternalNodeId", value);
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
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public static ExternalNodeId of(String value) {
        return new ExternalNodeId(value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
