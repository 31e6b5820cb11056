package io.csi4j.testkit.conformance;

/** Receives the progress of a run. Its methods are called on the thread of the run. */
public interface ConformanceListener {
    /** A listener that ignores all progress. */
    ConformanceListener NONE = new ConformanceListener() {};

    /** Called before the first call of a check that is not skipped. */
    default void started(CheckInfo check) {}

    /** Called after each call to the plugin and after each other step of a check, also during its clean-up. */
    default void exchanged(CheckInfo check, Exchange exchange) {}

    /** Called after the clean-up of a check, and for each skipped check. */
    default void finished(CheckResult result) {}
}
