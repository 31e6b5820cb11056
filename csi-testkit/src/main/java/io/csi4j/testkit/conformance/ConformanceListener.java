package io.csi4j.testkit.conformance;

/** Receives the progress of a run, on the thread of the run. */
public interface ConformanceListener {
    /** Ignores all progress. */
    ConformanceListener NONE = new ConformanceListener() {};

    /** Called before the first call of a check that is not skipped. */
    default void started(CheckInfo check) {}

    /** Called after each call or step of a check, also of its clean-up. */
    default void exchanged(CheckInfo check, Exchange exchange) {}

    /** Called after the clean-up of a check, and for each skipped check. */
    default void finished(CheckResult result) {}
}
