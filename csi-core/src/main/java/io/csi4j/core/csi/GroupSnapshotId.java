package io.csi4j.core.csi;

/**
 * The storage provider's id of a group snapshot (R97).
 *
 * <p>Only emptiness and texts that are no Unicode are refused: the id was made by the provider, and one that is longer than the
 * specification permits (R16) is still the only handle there is.
 *
 * @param value the id, not empty
 */
public record GroupSnapshotId(String value) {
    /**
     * Checks that there is an id, and that it can be stored.
     *
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public GroupSnapshotId {
        Text.checked("GroupSnapshotId", value);
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "GroupSnapshotId is empty; give the id that the storage provider made for the group snapshot");
        }
    }

    /**
     * The id with the given text.
     *
     * @param value the id, not empty
     * @return an id
     * @throws IllegalArgumentException if the id is empty or holds an unpaired surrogate
     */
    public static GroupSnapshotId of(String value) {
        return new GroupSnapshotId(value);
    }

    /** The text as operators read it, with escapes for what is invisible; {@link #value} is the data. */
    @Override
    public String toString() {
        return Text.shown(value);
    }
}
