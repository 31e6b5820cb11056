package io.csi4j.core.spi;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of a claim in the state.
 *
 * @param volume the volume of the claim
 * @param allocationId the allocation that has the claim
 * @param change the kind of change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record ClaimEvent(VolumeKey volume, AllocationId allocationId, Change change, long index, Instant at) {
    public ClaimEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of a claim. */
    public enum Change {
        /** The claim was taken; the volume is not published to the node yet. */
        TAKEN,
        /**
         * The claim was granted: the volume is published to the allocation's node. Each granted request causes one
         * such event.
         */
        GRANTED,
        /** The claim is being released. */
        UNPUBLISHING,
        /** The node has unmounted the volume for the claim. The controller may still have to detach the volume. */
        NODE_DETACHED,
        /** The release is done, and the claim can be removed. */
        READY_TO_FREE,
        /** The claim was removed, so that other claims may be granted. */
        FREED,
        /** A step of the release failed; the step will be retried. */
        STEP_FAILED,
        /** An operator stated that the volume is no longer used on the node of the claim. */
        OVERRIDDEN
    }
}
