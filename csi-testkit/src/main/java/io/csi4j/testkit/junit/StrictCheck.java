package io.csi4j.testkit.junit;

/** The checks that fail a test after its end. All are on by default. */
public enum StrictCheck {
    /** The test left volumes, snapshots, attachments, stagings or publications at the storage. */
    LEAKS,
    /**
     * The plugin refused a call because it breaks a rule of CSI or needs a capability that the plugin does not have: INVALID_ARGUMENT, FAILED_PRECONDITION, ALREADY_EXISTS,
     * OUT_OF_RANGE or UNIMPLEMENTED. Failures by a fault of the test do not count.
     */
    UNEXPECTED_CALLS,
    /** Two changing calls for one volume were in flight at one time (R26). */
    CONCURRENT_CALLS,
    /**
     * Two requests created a volume or snapshot of the same name and had different fields; see
     * {@link io.csi4j.testkit.ObservablePlugin#changedRequests} (R29).
     */
    CHANGED_REQUESTS,
    /**
     * The value of a secret that came with a call was logged in this process through {@code java.util.logging}, to which {@link System.Logger} writes by default. The
     * loggers of {@code io.csi4j} log all levels meanwhile. Values of less than four characters are not checked.
     */
    SECRETS_IN_LOGS
}
