package io.csi4j.registry;

/** What a registration came to. */
public enum Registered {
    /** The instance is new, and the newest. */
    ADDED,
    /** The instance was known with another socket or mount root. It keeps its place among the instances. */
    REPLACED,
    /** The instance was known as it is. */
    UNCHANGED
}
