package io.csi4j.testkit.internal.call;

/** The functions of a plugin's transport that calls and faults use. Its methods do not block. */
public interface PluginTransport {
    /**
     * Runs a task after the transport has read all requests that have arrived. So calls that arrive together are in
     * flight at the same time.
     */
    void afterReading(Runnable task);

    /** Cuts the connections of all callers. */
    void dropConnections();

    /** Ends the plugin as a crash does. */
    void crash();
}
