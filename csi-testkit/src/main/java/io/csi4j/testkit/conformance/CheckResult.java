package io.csi4j.testkit.conformance;

import java.time.Duration;
import java.util.List;

/**
 * The result of one check.
 *
 * @param check the check
 * @param outcome the outcome
 * @param reason why the check was skipped, as a sentence; empty if it was not skipped
 * @param findings the deviations, those that fail the check first; empty if the check passed
 * @param exchanges all calls and steps of the check, in order
 * @param output the last lines that the plugin printed during the check; empty unless the kit has started it, and for a passed check
 * @param duration the time of the check with its clean-up
 */
public record CheckResult(
        CheckInfo check,
        CheckOutcome outcome,
        String reason,
        List<Finding> findings,
        List<Exchange> exchanges,
        List<String> output,
        Duration duration) {
    /** Creates a result; the lists are copied. */
    public CheckResult {
        findings = List.copyOf(findings);
        exchanges = List.copyOf(exchanges);
        output = List.copyOf(output);
    }

    /** Returns the reason and the findings as one text; empty if the check passed. */
    public String explanation() {
        return reason.isEmpty()
                ? String.join("; ", findings.stream().map(Finding::toString).toList())
                : reason;
    }

    /** Returns the id of the check, the outcome and the findings as one text. */
    @Override
    public String toString() {
        return check.id() + " " + outcome + (explanation().isEmpty() ? "" : ": " + explanation());
    }
}
