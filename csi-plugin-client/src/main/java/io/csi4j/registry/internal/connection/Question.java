package io.csi4j.registry.internal.connection;

/** The questions of a connection to its plugin; one at a time. */
public enum Question {
    NONE,
    /** Are you well? */
    PROBE,
    /** Who are you, and what can you do? */
    FACTS,
    /** How much room is there on your node? */
    NODE_INFO
}
