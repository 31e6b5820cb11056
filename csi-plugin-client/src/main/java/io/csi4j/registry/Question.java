package io.csi4j.registry;

/** What a connection asks its plugin; one question at a time. */
enum Question {
    NONE,
    /** Are you well? */
    PROBE,
    /** Who are you, and what can you do? */
    FACTS,
    /** How much room is there on your node? */
    NODE_INFO
}
