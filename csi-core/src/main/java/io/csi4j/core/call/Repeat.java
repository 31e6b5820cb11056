package io.csi4j.core.call;

/** Where a call that failed is repeated, with the same fields (R29), before its caller hears of it. */
public enum Repeat {
    /** By the client, at the same instance, after a pause. */
    HERE,
    /** Not here: this instance is at fault. Who knows of another instance of the plugin asks that one. */
    ELSEWHERE,
    /** Nowhere: it would end the same way, or the decision is the caller's. */
    NEVER
}
