package io.csi4j.registry.internal.connection;

/** The source of elapsed time for this package. */
@FunctionalInterface
public interface ElapsedTime {
    /** Returns nanoseconds from an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Returns the system's monotonic clock. */
    static ElapsedTime system() {
        return System::nanoTime;
    }
}
