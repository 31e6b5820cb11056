package io.csi4j.core.volume;

import java.util.Optional;

/**
 * The progress of a claim. It moves forward only, one step at a time. The claim counts against the access mode until it is removed.
 */
public enum ClaimState {
    /** The allocation may use the volume. */
    TAKEN,
    /** The allocation no longer uses the volume; the node may still have it mounted. */
    UNPUBLISHING,
    /** Nothing is left on the node: the node reported it, is fenced or gone, or an operator overrode it. */
    NODE_DETACHED,
    /** Nothing is left anywhere, so the claim may be removed. */
    READY_TO_FREE;

    /** Returns whether this state equals another one or comes after it. */
    public boolean atLeast(ClaimState other) {
        return compareTo(other) >= 0;
    }

    /** Returns the next state; empty: the claim is removed next. */
    public Optional<ClaimState> next() {
        return switch (this) {
            case TAKEN -> Optional.of(UNPUBLISHING);
            case UNPUBLISHING -> Optional.of(NODE_DETACHED);
            case NODE_DETACHED -> Optional.of(READY_TO_FREE);
            case READY_TO_FREE -> Optional.empty();
        };
    }
}
