package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import java.util.List;
import java.util.Objects;

/**
 * The claims of one allocation, over all volumes.
 *
 * @param allocationId the allocation
 * @param held the claims that the allocation has, in the order of their volumes
 * @param waiting the claim requests that wait, oldest first; empty on an engine that does not lead
 */
public record AllocationClaims(AllocationId allocationId, List<Held> held, List<WaitingClaim> waiting) {
    /** Copies both lists, so that later changes of the caller's lists have no effect. */
    public AllocationClaims {
        Objects.requireNonNull(allocationId, "allocationId");
        held = List.copyOf(held);
        waiting = List.copyOf(waiting);
    }

    /**
     * A claim that the allocation has.
     *
     * @param volume the volume
     * @param claim the claim, with its state, failed attempts and next retry
     * @param published whether the volume is published to the claim's node, or needs no publishing; a claim in the
     *     state TAKEN is granted only if this is true
     */
    public record Held(VolumeKey volume, Claim claim, boolean published) {
        public Held {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(claim, "claim");
        }
    }
}
