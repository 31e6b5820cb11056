package io.csi4j.testkit.conformance.internal;

/** Ends a check because the plugin breaks a rule that the check tests. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param finding the deviation as a sentence
     */
    public Violation(String finding) {
        super(finding);
    }
}
