package io.csi4j.core.csi;

/**
 * The storage provider's id of a volume: opaque and unique within the plugin (R57). It appears at
 * the RPC boundary only.
 *
 * <p>Only emptiness and texts that are no Unicode are refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record ExternalVolumeId(String value) {
    /**
     * Checks that there is an id, and that it can be stored.
     *
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public ExternalVolumeId {
        Text.checked("ExternalVolumeId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "ExternalVolumeId is empty; give the id that the storage provider made for the volume");
        }
    }

    /**
     * The id with the given text.
     *
     * @param value the id, not empty
     * @return an id
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public static ExternalVolumeId of(String value) {
        return new ExternalVolumeId(value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
