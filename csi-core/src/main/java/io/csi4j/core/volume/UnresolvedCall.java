package io.csi4j.core.volume;

/**
 * A call with an unknown outcome: it is in flight, its response was lost, or the server failed before it stored the
 * response. This object is stored before the call is sent, so that the next leader knows of the call.
 *
 * @param index the index of the command that recorded the start of this call
 * @param earlier whether an earlier call for the same step also has an unknown outcome
 */
public record UnresolvedCall(long index, boolean earlier) {
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
}
