package io.csi4j.core.lifecycle;

/** The health of a volume or of a storage backend, as far as the plugin reported it. */
public enum HealthVerdict {
    /** The plugin reported no problem. */
    HEALTHY,
    /** The plugin reported at least one problem. */
    ABNORMAL,
    /** The plugin did not report any health, or does not support health reports. */
    NOT_REPORTED
}
