package io.csi4j.simulation.internal.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The clock of one machine. It differs from the clocks of other machines, and somebody may set it at any time. */
public final class SimClock extends Clock {
    private final SimScheduler scheduler;
    private Duration offset = Duration.ZERO;

    SimClock(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    void set(Duration by) {
        offset = offset.plus(by);
    }

    @Override
    public Instant instant() {
        return scheduler.instant().plus(offset);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("the simulation's clocks have no other zone than UTC");
    }
}
