package io.csi4j.core.volume;

/**
 * The policy for a volume whose workload ends. The state keeps it with each volume of a class. It has no effect for volumes
 * that belong to no workload; those of an allocation are always deleted with it.
 */
public enum ReclaimPolicy {
    /** The volume is deleted with its data. */
    DELETE,
    /** The volume is kept, and shown as retained. */
    RETAIN
}
