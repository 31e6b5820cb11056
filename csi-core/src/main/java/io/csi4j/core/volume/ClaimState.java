package io.csi4j.core.volume;

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
}
