package io.csi4j.client.registry.internal.connection;

/** A query that a connection sends to its plugin. At most one query is in flight at a time. */
public enum Question {
    NONE,
    /** Calls Probe for the health of the plugin. */
    PROBE,
    /** Queries the name, the version and all capabilities of the plugin. */
    FACTS,
    /** Calls NodeGetInfo for the node's volume limit and topology. */
    NODE_INFO
}
