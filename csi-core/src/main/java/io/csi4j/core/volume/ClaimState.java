package io.csi4j.core.volume;

import java.util.Optional;

/**
 * How far a claim has come. It only moves forward, one step at a time, and counts against the access
 * mode until it is removed.
 */
public enum ClaimState {
    /** The allocation may use the volume. */
    TAKEN,
    /** The allocation is done; the node may still have the volume mounted. */
    UNPUBLISHING,
    /** Nothing is left on the node: it said so, it is fenced or gone, or the operator overrode it. */
    NODE_DETACHED,
    /** Nothing is left anywhere: the claim may be removed. */
    READY_TO_FREE;

    /**
     * Whether this state is {@code other}, or comes after it.
     *
     * @param other the state to compare with
     * @return true if so
     */
    public boolean atLeast(ClaimState other) {
        return compareTo(other) >= 0;
    }

    /**
     * The one step forward from here.
     *
     * @return empty: the claim is removed next
     */
    public Optional<ClaimState> next() {
        return switch (this) {
            case TAKEN -> Optional.of(UNPUBLISHING);
            case UNPUBLISHING -> Optional.of(NODE_DETACHED);
            case NODE_DETACHED -> Optional.of(READY_TO_FREE);
            case READY_TO_FREE -> Optional.empty();
        };
    }
}
