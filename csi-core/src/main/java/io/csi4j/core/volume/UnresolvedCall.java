package io.csi4j.core.volume;

/**
 * A call with an unknown outcome: it is in flight, its response was lost, or the server failed before it stored the
 * response. This object is stored before the call is sent, so that the next leader knows of the call.
 *
 * @param index the index of the command that recorded the start of this call
 * @param earlier whether an earlier call for the same step also has an unknown outcome
 * @param unclear whether this call, or one of the earlier calls, has ended without a clear answer
 * @param noRoom whether this call was answered with RESOURCE_EXHAUSTED
 */
public record UnresolvedCall(long index, boolean earlier, boolean unclear, boolean noRoom) {
    /**
     * Creates the record of a call that has not ended.
     *
     * @param index the index of the command that recorded the start of this call
     * @param earlier whether an earlier call for the same step also has an unknown outcome
     */
    public UnresolvedCall(long index, boolean earlier) {
        this(index, earlier, false, false);
    }

    /**
     * Checks the index.
     *
     * @throws IllegalArgumentException if {@code index} is not positive
     */
    public UnresolvedCall {
        if (index <= 0) {
            throw new IllegalArgumentException("UnresolvedCall: index is " + index + "; use the index of a command");
        }
    }

    /**
     * Returns whether the given call is the only one with an unknown outcome. If so, a response
     * with a known outcome to this call shows the state of the volume at the storage provider.
     *
     * @param callIndex the index of the command that recorded the start of the call
     */
    public boolean isOnlyCall(long callIndex) {
        return index == callIndex && !earlier;
    }

    /** Returns the record of the next call for the same step, which follows this one. */
    UnresolvedCall next(long nextIndex) {
        return new UnresolvedCall(nextIndex, true, unclear || !noRoom, false);
    }

    /**
     * Returns the record after a failure of the last call.
     *
     * @param refused whether the failure is the answer RESOURCE_EXHAUSTED to this call
     */
    UnresolvedCall failed(boolean refused) {
        return new UnresolvedCall(index, earlier, unclear || !refused, refused);
    }
}
