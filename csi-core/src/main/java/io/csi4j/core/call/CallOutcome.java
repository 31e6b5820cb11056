package io.csi4j.core.call;

/**
 * The outcome of a call for its caller. Derived from the RPC and the status code only, never from the text of an error (R32).
 */
public enum CallOutcome {
    /** The plugin responded OK, and the call has had its effect. */
    DONE,
    /**
     * The call may have had its effect, or may have it later. Only two steps are safe: the same call again with the same fields (R29),
     * or the opposite call (R30).
     */
    OUTCOME_UNKNOWN,
    /** The call failed for a cause outside of the request. Repeat it when the cause is removed. */
    RETRY_AFTER_CAUSE,
    /** This request can never succeed; a changed request may. */
    CHANGE_REQUEST,
    /** The call must not be repeated (R33: UNIMPLEMENTED; R95: NodeExpandVolume of a volume in use). */
    NEVER,
    /** The token of a list has expired: begin again with an empty token (R72). */
    PAGE_RESTART;

    /**
     * Returns the outcome of a call that ended with a status code. Defined for all combinations.
     *
     * @param continuesPage whether the request had the token of a next page
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
     * Returns whether the same call may be sent again, unchanged.
     *
     * @return true for {@link #OUTCOME_UNKNOWN}, {@link #RETRY_AFTER_CAUSE} and {@link #PAGE_RESTART} (the last one with an empty
     *     token)
     */
    public boolean retryable() {
        return this == OUTCOME_UNKNOWN || this == RETRY_AFTER_CAUSE || this == PAGE_RESTART;
    }
}
