package io.csi4j.testkit.conformance.internal;

/** Measures elapsed time, and gives each run an id of its own. */
public interface TimeSource {
    /** Returns the nanoseconds since an arbitrary, fixed time. */
    long nanos();

    /** Returns an id that no earlier run has used, for the names of volumes. */
    String runId();
}
