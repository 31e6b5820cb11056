package io.csi4j.core.spi;

import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A volume changed in the state.
 *
 * @param change what happened
 * @param index the index of the state at which it can be seen; it may be a later one's
 * @param at when it was proposed
 */
public record VolumeEvent(VolumeKey volume, Change change, long index, Instant at) {
    public VolumeEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** What may happen to a volume. */
    public enum Change {
        /** It was registered. */
        REGISTERED,
        /** The intent to create it was written. */
        CREATING,
        /** What is declared about it changed. */
        UPDATED,
        /** What the provider told was recorded: it was created, or grew, or was looked at. */
        FACTS_RECORDED,
        /** The intent to grow it was written. */
        EXPANDING,
        /** The controller's step of an expansion is done. */
        EXPANDED,
        /** An expansion is not wanted any more. */
        EXPANSION_WITHDRAWN,
        /** A node's step of an expansion is done. */
        NODE_EXPANDED,
        /** The intent to change mutable parameters was written. */
        MODIFYING,
        /** Mutable parameters were changed. */
        MODIFIED,
        /** A step of an expansion or a modification failed, or its outcome is unknown; the volume's status tells more. */
        STEP_FAILED,
        /** The intent to delete it was written. */
        DELETING,
        /** The provider refused to delete it, and it is available again. */
        AVAILABLE,
        /** A reaper is to look at it. */
        MARKED,
        /** It was forgotten. */
        REMOVED
    }
}
