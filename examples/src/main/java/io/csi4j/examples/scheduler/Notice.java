package io.csi4j.examples.scheduler;

import java.time.Instant;

/** Prints the failure of a loop when it begins or changes, not in each turn. Used on one thread. */
final class Notice {
    private final String subject;
    private String last = "";

    /** @param subject the work that fails */
    Notice(String subject) {
        this.subject = subject;
    }

    /** @param problem the failure of this turn; empty if there is none */
    void set(String problem) {
        if (!problem.equals(last)) {
            System.err.println(Instant.now() + " " + subject + ": " + (problem.isEmpty() ? "works again" : problem));
            last = problem;
        }
    }
}
