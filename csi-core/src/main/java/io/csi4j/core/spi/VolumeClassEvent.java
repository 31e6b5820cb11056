package io.csi4j.core.spi;

import io.csi4j.core.id.VolumeClassName;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of a volume class in the state. No volume changes with its class.
 *
 * @param change the kind of change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record VolumeClassEvent(VolumeClassName name, Change change, long index, Instant at) {
    public VolumeClassEvent {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of a volume class. */
    public enum Change {
        /** The class was added. */
        ADDED,
        /** The values of the class were replaced. */
        REPLACED,
        /** The class was removed. */
        REMOVED
    }
}
