package io.csi4j.testkit.internal.call;

/** The faults that concern more than one call. Methods do not block. */
public interface Disruption {
    /** Cuts the connections of all callers. */
    void dropConnections();

    /** Ends the plugin as a crash does. */
    void crash();
}
