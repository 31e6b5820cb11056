package io.csi4j.core.call;

/**
 * What a finished call means for its caller. Derived from the RPC and the status code alone, never
 * from the text of an error (R32).
 */
public enum CallOutcome {
    /** The plugin answered OK: the effect is there. */
    DONE,
    /**
     * The effect may or may not be there, now or later. Only two moves are safe: the same call again
     * with the same fields (R29), or its opposite (R30).
     */
    OUTCOME_UNKNOWN,
    /** The call failed for a cause outside the request; it may be repeated once the cause is cured. */
    RETRY_AFTER_CAUSE,
    /** This request can never succeed; a changed one may. */
    CHANGE_REQUEST,
    /** The call must not be repeated (R33: UNIMPLEMENTED; R95: NodeExpandVolume in use). */
    NEVER,
    /** A listing's continuation token is no longer good: begin again with an empty token (R72). */
    PAGE_RESTART;

    /**
     * The outcome class of a call that ended with {@code code}.
     *
     * @param rpc the RPC that was called
     * @param code how it ended
     * @param continuesPage whether the request carried a continuation token
     * @return the class; total over all inputs
     */
    public static CallOutcome of(Rpc rpc, StatusCode code, boolean continuesPage) {
        return switch (code) {
            case OK -> DONE;
            case INVALID_ARGUMENT, ALREADY_EXISTS, OUT_OF_RANGE -> CHANGE_REQUEST;
            case NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, UNAUTHENTICATED -> RETRY_AFTER_CAUSE;
            case FAILED_PRECONDITION -> rpc == Rpc.NODE_EXPAND_VOLUME ? NEVER : RETRY_AFTER_CAUSE;
            case UNIMPLEMENTED -> NEVER;
            case ABORTED -> rpc.paged() && continuesPage ? PAGE_RESTART : OUTCOME_UNKNOWN;
            case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS -> OUTCOME_UNKNOWN;
        };
    }

    /**
     * Whether the same call may be sent again, unchanged, at some time.
     *
     * @return true for {@link #OUTCOME_UNKNOWN}, {@link #RETRY_AFTER_CAUSE} and {@link #PAGE_RESTART}
     *     (the last one with an empty token)
     */
    public boolean retryable() {
        return this == OUTCOME_UNKNOWN || this == RETRY_AFTER_CAUSE || this == PAGE_RESTART;
    }
}
