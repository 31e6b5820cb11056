package io.csi4j.core.call;

/** The place where a failed call is repeated, with the same fields (R29), before its caller gets the failure. */
public enum Repeat {
    /** The client repeats the call at the same instance, after a backoff. */
    HERE,
    /**
     * The failure may be specific to this instance. A caller that knows another instance of the plugin calls that one.
     */
    ELSEWHERE,
    /** The call is not repeated: it would fail again, or the caller has to decide. */
    NEVER
}
