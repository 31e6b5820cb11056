package io.csi4j.core.spi;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A claim changed in the state.
 *
 * @param allocationId whose claim
 * @param change what happened
 * @param index the index of the state at which it can be seen; it may be a later one's
 * @param at when it was proposed
 */
public record ClaimEvent(VolumeKey volume, AllocationId allocationId, Change change, long index, Instant at) {
    public ClaimEvent {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** What may happen to a claim. */
    public enum Change {
        /** It was taken. */
        TAKEN,
        /** The allocation has it, and the volume is published to its node; each request that was granted it is told. */
        GRANTED,
        /** It is being released. */
        UNPUBLISHING,
        /** Its node's part of the release is done. */
        NODE_DETACHED,
        /** It can be removed. */
        READY_TO_FREE,
        /** It was removed, and no longer counts. */
        FREED,
        /** A step of its release failed; it will be tried again. */
        STEP_FAILED,
        /** An operator overrode it, on record. */
        OVERRIDDEN
    }
}
