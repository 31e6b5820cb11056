package io.csi4j.testkit.conformance;

import java.time.Duration;
import java.util.List;

/**
 * The result of one check.
 *
 * @param check the check
 * @param outcome the outcome
 * @param findings the deviations, or the reason of a skip, as sentences; empty if the check passed
 * @param exchanges all calls and steps of the check, in order
 * @param duration the time of the check with its clean-up
 */
public record CheckResult(
        CheckInfo check, CheckOutcome outcome, List<String> findings, List<Exchange> exchanges, Duration duration) {
    /** Creates a result; the lists are copied. */
    public CheckResult {
        findings = List.copyOf(findings);
        exchanges = List.copyOf(exchanges);
    }

    /** Returns the id of the check, the outcome and the findings as one text. */
    @Override
    public String toString() {
        return check.id() + " " + outcome + (findings.isEmpty() ? "" : ": " + String.join("; ", findings));
    }
}
