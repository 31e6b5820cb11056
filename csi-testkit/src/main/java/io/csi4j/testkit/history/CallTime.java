package io.csi4j.testkit.history;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The time of a call. The order numbers count the beginnings and ends of all calls of a plugin, so they order events that have the same time.
 *
 * @param start the time at which the request arrived
 * @param end the time at which the caller got the answer or gave up; empty: the call is in flight
 * @param startOrder the order number of the beginning
 * @param endOrder the order number of the end; {@link Long#MAX_VALUE}: the call is in flight
 */
public record CallTime(Instant start, Optional<Instant> end, long startOrder, long endOrder) {
    /** Returns the time between beginning and end; empty: the call is in flight. */
    public Optional<Duration> duration() {
        return end.map(at -> Duration.between(start, at));
    }

    /** Returns whether both calls were in flight at one time. */
    public boolean overlaps(CallTime other) {
        return startOrder < other.endOrder && other.startOrder < endOrder;
    }

    CallTime later(long orders) {
        return new CallTime(start, end, startOrder + orders, end.isEmpty() ? endOrder : endOrder + orders);
    }
}
