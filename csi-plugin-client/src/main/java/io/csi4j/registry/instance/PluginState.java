package io.csi4j.registry.instance;

/** Where the connection to an instance of a plugin stands. */
public enum PluginState {
    /** The process that has the socket now has not answered yet, or there is no socket yet. */
    CONNECTING,
    /** It answers and is starting (R39), or its facts are being read. */
    PROBING,
    /** It is well, and its facts are those of the process that runs now. */
    READY,
    /** It says that it is not well (R40), or no longer answers. What it told before is kept. */
    DEGRADED,
    /** It is no longer watched. */
    GONE
}
