package io.csi4j.client.registry.instance;

/** The state of the connection to a plugin instance. */
public enum PluginState {
    /** The process behind the socket has not answered yet, or the socket does not exist. */
    CONNECTING,
    /** The process answers and is starting (R39), or its facts are being read. */
    PROBING,
    /** The instance is healthy, and its facts are those of the present process. */
    READY,
    /** The instance reports that it is unhealthy (R40), or does not answer. Its last facts are kept. */
    DEGRADED,
    /** The instance is no longer registered. */
    GONE
}
