package io.csi4j.testkit.conformance.internal;

/** Ends a check that does not apply to the plugin or to this machine. */
public final class NotApplicable extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param reason the reason as a sentence
     */
    public NotApplicable(String reason) {
        super(reason);
    }
}
