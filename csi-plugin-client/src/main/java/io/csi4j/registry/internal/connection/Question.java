package io.csi4j.registry.internal.connection;

/** The queries of a connection; one at a time. */
public enum Question {
    NONE,
    /** Probe: the health. */
    PROBE,
    /** The name, the version and all capabilities. */
    FACTS,
    /** NodeGetInfo: the node's volume limit and topology. */
    NODE_INFO
}
