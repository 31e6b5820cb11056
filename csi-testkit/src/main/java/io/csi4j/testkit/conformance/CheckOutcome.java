package io.csi4j.testkit.conformance;

/** The outcome of a check. */
public enum CheckOutcome {
    /** The plugin keeps the rules of the check. */
    PASSED,
    /** The plugin keeps what the specification demands, and deviates from what it recommends. */
    WARNED,
    /** The check does not apply to the plugin or the settings; the result has the reason. */
    SKIPPED,
    /** The plugin breaks a rule of the check. */
    FAILED
}
