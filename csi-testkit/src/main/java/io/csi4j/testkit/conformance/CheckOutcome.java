package io.csi4j.testkit.conformance;

/** The outcome of a check. */
public enum CheckOutcome {
    /** The plugin keeps the rules of the check. */
    PASSED,
    /** The plugin deviates from a recommendation, or from a demand without harm to the caller. */
    WARNED,
    /** The check does not apply to the plugin or the settings, or cannot be decided; the result has the reason. */
    SKIPPED,
    /** The plugin breaks a rule of the check. */
    FAILED
}
