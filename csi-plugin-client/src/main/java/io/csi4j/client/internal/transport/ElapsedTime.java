package io.csi4j.client.internal.transport;

/** The source of elapsed time for clients and registries; tests pass their own. */
@FunctionalInterface
public interface ElapsedTime {
    /** Returns nanoseconds from an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Returns the system's monotonic clock. */
    static ElapsedTime system() {
        return System::nanoTime;
    }
}
