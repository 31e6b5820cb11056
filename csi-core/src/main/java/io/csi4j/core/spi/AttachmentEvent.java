package io.csi4j.core.spi;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of an attachment in the state.
 *
 * @param volume the volume of the attachment
 * @param nodeId the node of the attachment
 * @param change the kind of change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record AttachmentEvent(VolumeKey volume, NodeId nodeId, Change change, long index, Instant at) {
    public AttachmentEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of an attachment. */
    public enum Change {
        /** The intent to attach the volume was written. */
        PUBLISHING,
        /** The volume is attached to the node. */
        PUBLISHED,
        /** The intent to detach the volume was written. */
        UNPUBLISHING,
        /** The volume is detached from the node, and its attachment was removed. */
        REMOVED,
        /** A call for the attachment failed, or its outcome is unknown; the call will be retried. */
        STEP_FAILED,
        /** An operator stated that the volume is detached. */
        OVERRIDDEN
    }
}
