package io.csi4j.client.internal.transport;

/** The source of elapsed time for this package. */
@FunctionalInterface
public interface Ticker {
    /** Returns nanoseconds from an arbitrary origin; only differences are meaningful. */
    long nanos();

    /** Returns the system's monotonic clock. */
    static Ticker system() {
        return System::nanoTime;
    }
}
