package io.csi4j.testkit.internal.call;

/** The functions of a plugin's transport that calls and faults use. Its methods do not block. */
public interface PluginTransport {
    /** Runs a task after the requests that have arrived were read, so that calls which arrive together are in flight together. */
    void afterReading(Runnable task);

    /** Cuts the connections of all callers. */
    void dropConnections();

    /** Ends the plugin as a crash does. */
    void crash();
}
