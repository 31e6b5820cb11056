package io.csi4j.client.internal.transport;

/** Where elapsed time comes from; the one place of this package that asks the system. */
@FunctionalInterface
public interface Ticker {
    /** Nanoseconds since some fixed moment; only differences mean something. */
    long nanos();

    /** The system's monotonic clock. */
    static Ticker system() {
        return System::nanoTime;
    }
}
