package io.csi4j.registry.internal.connection;

/** Where elapsed time comes from; the one place of this package that asks the system. */
@FunctionalInterface
public interface ElapsedTime {
    /** Nanoseconds since some fixed moment; only differences mean something. */
    long nanos();

    /** The system's monotonic clock. */
    static ElapsedTime system() {
        return System::nanoTime;
    }
}
