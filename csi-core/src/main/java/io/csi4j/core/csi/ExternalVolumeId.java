package io.csi4j.core.csi;

import io.csi4j.core.internal.text.Text;

/**
 * The storage provider's id of a volume: opaque, and unique within the plugin (R57).
 *
 * <p>The id is rejected only if it is empty or not valid Unicode. An id that is longer than the specification permits (R16) is
 * accepted, because the provider knows the volume by no other id.
 *
 * @param value the id, not empty
 */
public record ExternalVolumeId(String value) {
    /**
     * Checks the id.
     *
     * @throws IllegalArgumentException if the id is empty or contains an unpaired surrogate
     */
    public ExternalVolumeId {
        Text.checked("ExternalVolumeId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "ExternalVolumeId is empty; give the id that the storage provider made for the volume");
        }
    }

    /**
     * Returns the id with the given text.
     *
     * @throws IllegalArgumentException if the text is empty or contains an unpaired surrogate
     */
    public static ExternalVolumeId of(String value) {
        return new ExternalVolumeId(value);
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
