package io.csi4j.core.lifecycle.internal.call;

import java.time.Duration;
import java.time.Instant;

/**
 * A moment in the elapsed time of this engine. People see it as a time of the present clock: if the clock is set, the
 * time changes and the age does not.
 */
public final class Moment implements Comparable<Moment> {
    private final EnginePorts ports;
    private final long nanos;

    Moment(EnginePorts ports, Duration age) {
        this.ports = ports;
        this.nanos = ports.nanoTime() - age.toNanos();
    }

    /** Returns the time that has passed since this moment. */
    public Duration age() {
        return Duration.ofNanos(ports.nanoTime() - nanos);
    }

    /** Returns this moment as a time of the present clock. */
    public Instant time() {
        return ports.clock().instant().minus(age());
    }

    /** Compares moments of the same engine: the earlier one is first. */
    @Override
    public int compareTo(Moment other) {
        return Long.compare(nanos - other.nanos, 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Moment that && nanos == that.nanos;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(nanos);
    }
}
