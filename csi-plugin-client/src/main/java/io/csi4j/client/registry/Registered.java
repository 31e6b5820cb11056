package io.csi4j.client.registry;

/** The effect that a registration had on the list of instances. */
public enum Registered {
    /** The instance was added, and is now the newest one. */
    ADDED,
    /**
     * The instance was already registered, with another socket or mount root. The new registration replaces the old
     * one; the order of the instances is unchanged.
     */
    REPLACED,
    /** The instance was already registered with the same definition. */
    UNCHANGED
}
