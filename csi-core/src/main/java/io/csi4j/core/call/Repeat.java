package io.csi4j.core.call;

/**
 * Says whether, and at which plugin instance, a failed call is retried before its caller gets the failure. A retry has
 * the same fields (R29).
 */
public enum Repeat {
    /** The client retries the call at the same plugin instance, after a backoff. */
    HERE,
    /**
     * The failure may be specific to one plugin instance. A caller that knows another instance of the plugin sends the
     * call there.
     */
    ELSEWHERE,
    /** The call is not retried, because it would fail again or because the caller has to decide. */
    NEVER
}
