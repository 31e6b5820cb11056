package io.csi4j.client.internal.transport;

import java.time.Clock;

/** The source of elapsed time for clients and registries; tests pass their own. */
@FunctionalInterface
public interface ElapsedTime {
    /** Returns nanoseconds from an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Returns the system's monotonic clock. */
    static ElapsedTime system() {
        return System::nanoTime;
    }

    /** Returns the clock of the system, for the times in lines of the log. */
    static Clock systemClock() {
        return Clock.systemUTC();
    }
}
