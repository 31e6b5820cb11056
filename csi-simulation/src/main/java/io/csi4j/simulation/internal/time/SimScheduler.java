package io.csi4j.simulation.internal.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.SplittableRandom;

/**
 * The virtual time and the event queue of one simulation. One thread runs it; the seed decides the order of events at
 * the same time. Unlike {@link io.csi4j.core.spi.VirtualTime}, it runs one event in each step, so that invariants are
 * checked between two events. A task for an executor starts after a delay that the seed decides.
 */
public final class SimScheduler {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final EventQueue events = new EventQueue();
    private final SplittableRandom random;
    private final Clock clock = new VirtualClock();
    private long now;
    private int sequence;

    public SimScheduler(SplittableRandom random) {
        this.random = random;
    }

    /** The time since the start. */
    public Duration elapsed() {
        return Duration.ofNanos(now);
    }

    public Clock clock() {
        return clock;
    }

    /** Creates the clock of a machine; it shows this time until it is set. */
    public SimClock newClock() {
        return new SimClock(this);
    }

    /** Sets the clock of a machine forwards, or backwards if the duration is negative. */
    public void set(SimClock clock, Duration by) {
        clock.set(by);
    }

    public Instant instant() {
        return START.plusNanos(now);
    }

    public void after(Duration delay, Runnable task) {
        // At the same time, the seed decides the order; for equal random numbers, the event that was added first is
        // first.
        long order = ((long) random.nextInt() << Integer.SIZE) | sequence++;
        events.add(now + Math.max(0, delay.toNanos()), order, task);
    }

    /** Runs the task after a random delay of at most {@code max}. */
    public void within(Duration max, Runnable task) {
        after(upTo(max), task);
    }

    /** Returns a random number from 0 to one less than the bound. */
    public int choose(int bound) {
        return random.nextInt(bound);
    }

    public Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    /** Whether no event is due up to the given time since the start, inclusive. */
    public boolean idleUntil(Duration elapsed) {
        return events.isEmpty() || events.firstTime() > elapsed.toNanos();
    }

    /** Runs the next event; false if there is none. */
    public boolean step() {
        if (events.isEmpty()) {
            return false;
        }
        now = events.firstTime();
        events.poll().run();
        return true;
    }

    private final class VirtualClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("the simulation's clock has no other zone than UTC");
        }

        @Override
        public Instant instant() {
            return SimScheduler.this.instant();
        }
    }
}
