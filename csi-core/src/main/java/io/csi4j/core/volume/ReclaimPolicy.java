package io.csi4j.core.volume;

/** What becomes of a volume when its owner ends. */
public enum ReclaimPolicy {
    /** The volume is deleted with its data. */
    DELETE,
    /** The volume is kept. */
    RETAIN
}
