package io.csi4j.core.lifecycle;

/** What is known of the health of something. */
public enum HealthVerdict {
    /** The plugin says that nothing is wrong. */
    HEALTHY,
    /** The plugin says that something is. */
    ABNORMAL,
    /** The plugin cannot tell, or did not. */
    NOT_TOLD
}
