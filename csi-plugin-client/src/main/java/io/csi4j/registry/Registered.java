package io.csi4j.registry;

/** The effect that a registration had on the list of instances. */
public enum Registered {
    /** The instance was added, and is now the newest one. */
    ADDED,
    /**
     * The instance was registered before, with another socket or mount root. The new registration replaces the old one,
     * and the order of the instances stays.
     */
    REPLACED,
    /** The instance was already registered with the same definition. */
    UNCHANGED
}
