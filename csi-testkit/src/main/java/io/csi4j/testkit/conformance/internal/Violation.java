package io.csi4j.testkit.conformance.internal;

import io.csi4j.testkit.conformance.Finding;

/** Ends a check because the plugin breaks a rule that the check tests. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Finding finding;

    /**
     * Creates the exception.
     *
     * @param finding the deviation
     */
    Violation(Finding finding) {
        super(finding.text());
        this.finding = finding;
    }

    Finding finding() {
        return finding;
    }
}
