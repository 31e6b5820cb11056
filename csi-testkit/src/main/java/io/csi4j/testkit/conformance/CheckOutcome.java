package io.csi4j.testkit.conformance;

/** The outcome of a check. */
public enum CheckOutcome {
    /** The plugin keeps the rules of the check. */
    PASSED,
    /** The plugin keeps all demands of the specification, but deviates from a recommendation. */
    WARNED,
    /** The check does not apply to the plugin or the settings; the result has the reason. */
    SKIPPED,
    /** The plugin breaks a rule of the check. */
    FAILED
}
