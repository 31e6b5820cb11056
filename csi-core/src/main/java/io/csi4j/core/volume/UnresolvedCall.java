package io.csi4j.core.volume;

/**
 * A call for an intent whose outcome the state does not know: it is in flight, its answer was lost, or the server that
 * made it ended before it wrote the answer. It is stored before the call, so that the next leader knows of it.
 *
 * @param index the log index of the command that began the last call
 * @param earlier whether an earlier call for the intent has an unknown outcome too
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
     * Whether a clear answer to a call settles the intent: there was no other call whose outcome is unknown.
     *
     * @param callIndex the index of the command that began the call
     * @return true if so
     */
    public boolean isOnly(long callIndex) {
        return index == callIndex && !earlier;
    }
}
