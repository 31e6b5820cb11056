package io.csi4j.core.volume;

/**
 * The policy for a volume whose owner ends. The state keeps it with each volume of a class; volumes have no owners yet, so
 * it has no effect yet.
 */
public enum ReclaimPolicy {
    /** The volume is deleted with its data. */
    DELETE,
    /** The volume is kept. */
    RETAIN
}
