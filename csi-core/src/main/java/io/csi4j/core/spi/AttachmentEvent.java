package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * An attachment changed in the state.
 *
 * @param change what happened
 * @param index the index of the state at which it can be seen; it may be a later one's
 * @param at when it was proposed
 */
public record AttachmentEvent(VolumeKey volume, NodeId nodeId, Change change, long index, Instant at) {
    public AttachmentEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** What may happen to an attachment. */
    public enum Change {
        /** The intent to attach was written. */
        PUBLISHING,
        /** It is attached. */
        PUBLISHED,
        /** The intent to detach was written. */
        UNPUBLISHING,
        /** It is detached. */
        REMOVED,
        /** A call for it failed, or its outcome is unknown; it will be tried again. */
        STEP_FAILED,
        /** An operator overrode it, on record. */
        OVERRIDDEN
    }
}
