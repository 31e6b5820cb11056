package io.csi4j.core.volume;

import java.util.Optional;

/**
 * The state of a claim. A claim moves through the states in their order, one at a time, and never back. Until it is
 * removed, it limits other claims by the access mode of the volume.
 */
public enum ClaimState {
    /** The allocation may use the volume. */
    TAKEN,
    /** The allocation no longer uses the volume; the node may still have it mounted. */
    UNPUBLISHING,
    /**
     * The volume is no longer mounted or staged on the node for the claim: the node reported the unmount, the node is
     * fenced or gone, or an operator confirmed the unmount.
     */
    NODE_DETACHED,
    /** The release is complete, so the claim may be removed. */
    READY_TO_FREE;

    /** Returns whether this state equals another one or comes after it. */
    public boolean atLeast(ClaimState other) {
        return compareTo(other) >= 0;
    }

    /** Returns the next state; empty for the last state, after which the claim is removed. */
    public Optional<ClaimState> next() {
        return switch (this) {
            case TAKEN -> Optional.of(UNPUBLISHING);
            case UNPUBLISHING -> Optional.of(NODE_DETACHED);
            case NODE_DETACHED -> Optional.of(READY_TO_FREE);
            case READY_TO_FREE -> Optional.empty();
        };
    }
}
