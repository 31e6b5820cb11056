package io.csi4j.core.volume;

/**
 * A call for an intent whose outcome is unknown: it is in flight, its response was lost, or its server failed before it persisted the
 * response. Persisted before the call, so that the next leader knows of it.
 *
 * @param index the index of the command that began the last call
 * @param earlier whether an earlier call for the intent has an unknown outcome, too
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
     * Returns whether a clear response to a call settles the intent, because no other call has an unknown outcome.
     *
     * @param callIndex the index of the command that began the call
     */
    public boolean isOnly(long callIndex) {
        return index == callIndex && !earlier;
    }
}
