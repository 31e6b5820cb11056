package io.csi4j.core.call;

/**
 * Says how the calls of an RPC are made: whether they are retried, and which calls wait for each other. Every RPC has
 * one policy.
 */
public enum RetryPolicy {
    /**
     * The call queries the plugin about itself. The client never retries it, because the monitor of the plugin calls
     * again at its own rate (R41) and needs to know each failure at once.
     */
    WATCHED("never repeated: the prober repeats the call at its own rate, and reports each failure (R39-R41)"),
    /**
     * The call queries one volume, one snapshot, the capacity, or the storage backends. It changes nothing, so it may
     * be retried.
     */
    READ("repeated: it changes nothing; waits for earlier calls of its volume, if it has one (R26)"),
    /**
     * The call requests a page of a list. It changes nothing, so it may be retried. If the plugin responds ABORTED to
     * the token of a page, the caller has to begin with the first page again (R72).
     */
    LISTING(
            "repeated, except after ABORTED to a continuation token (R72): it changes nothing; waits for no other call"),
    /**
     * The call opens a stream. The same call is never retried: after a failure, a new call resumes the stream after the
     * last received range (R102).
     */
    STREAM("never repeated as a call: a resuming stream continues after its last range (R102)"),
    /**
     * The call creates an object under a name that the caller chose. Another call with the same name returns the same
     * object (R51, R76, R97).
     */
    NAMED(
            "repeated with identical fields (R29): the name makes repetitions one request; waits for earlier calls with its name (R26)"),
    /**
     * The call changes an object that has an id. While its outcome is unknown, only the same call or its opposite may
     * follow.
     */
    CHANGE(
            "repeated with identical fields (R29); waits for earlier calls of its volume (R26); an unknown outcome blocks other changes of the volume (R30)");

    private final String summary;

    RetryPolicy(String summary) {
        this.summary = summary;
    }

    /** Returns a description of this policy in one line, with the numbers of the CSI rules. */
    public String summary() {
        return summary;
    }
}
