package io.csi4j.postgres;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions, with a deadline. */
public final class Conditions {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long POLL = 5_000_000;

    private Conditions() {}

    /** Waits until the condition holds, and fails with the description after 30 seconds. */
    public static void await(String description, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not within " + LIMIT + ": " + description);
            }
            LockSupport.parkNanos(POLL);
        }
    }
}
