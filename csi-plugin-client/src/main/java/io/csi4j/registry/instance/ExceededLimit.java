package io.csi4j.registry.instance;

/** Which limit an instance has exceeded. Reported once for each trouble. */
public enum ExceededLimit {
    /** It has been starting for longer than it may. */
    START_UP,
    /** It was ready and has not been well for longer than it may. */
    LIVENESS
}
