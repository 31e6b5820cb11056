package io.csi4j.core.call;

/**
 * The outcome of a call for its caller. It depends on the RPC and the status code only, never on the text of an error
 * (R32).
 */
public enum CallOutcome {
    /** The plugin responded OK, and the call took effect. */
    DONE,
    /**
     * The call may have taken effect, or may still take effect. Only two steps are safe: sending the same call with the
     * same fields again (R29), or calling the opposite RPC (R30).
     */
    OUTCOME_UNKNOWN,
    /** The call failed for a cause outside of the request. Retry it when the cause has been removed. */
    RETRY_AFTER_CAUSE,
    /** This request can never succeed, but a changed request may succeed. */
    CHANGE_REQUEST,
    /**
     * The call must not be retried: the RPC is UNIMPLEMENTED (R33), or the plugin cannot expand a volume that is in use
     * (R95).
     */
    NEVER,
    /** The token for the next page of a list has expired. Begin again with the first page (R72). */
    PAGE_RESTART;

    /**
     * Returns the outcome of a call that ended with the given status code. Every combination of RPC and code has an
     * outcome.
     *
     * @param continuesPage whether the request asked with a token for a further page of a list
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
     * @return true for {@link #OUTCOME_UNKNOWN}, {@link #RETRY_AFTER_CAUSE} and {@link #PAGE_RESTART} (after
     *     PAGE_RESTART, with an empty token)
     */
    public boolean retryable() {
        return this == OUTCOME_UNKNOWN || this == RETRY_AFTER_CAUSE || this == PAGE_RESTART;
    }
}
