package io.csi4j.registry;

/** The result of a registration. */
public enum Registered {
    /** The instance was added, and is the newest. */
    ADDED,
    /** The instance was known with another socket or mount root. It keeps its position. */
    REPLACED,
    /** The instance was already registered like this. */
    UNCHANGED
}
