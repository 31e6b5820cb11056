package io.csi4j.testkit.conformance.internal;

/** Elapsed time and a number that differs from run to run. */
public interface TimeSource {
    /** Returns elapsed nanoseconds since any fixed time. */
    long nanos();

    /** Returns a text for names of volumes, which no earlier run has used. */
    String runId();
}
