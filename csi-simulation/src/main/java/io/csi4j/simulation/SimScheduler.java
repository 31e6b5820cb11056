package io.csi4j.simulation;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * The time and the event queue of one simulation. One thread runs it; the seed decides the order of events that are due
 * at the same time.
 *
 * <p>This is not a {@link io.csi4j.core.spi.VirtualTime}, for two reasons. {@code advance} there runs all tasks that are
 * due in a period before it returns, and its executor takes no time. The simulation runs one event per step and checks
 * its invariants between two steps; a step jumps to the time of the next event. And one random number generator draws
 * the delays and the order of events here, so that a recorded seed repeats a failed run. The delay of each hand-over
 * to an executor is one of those draws.
 */
final class SimScheduler {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Event(long at, int tie, long sequence, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Long.compare(at, other.at);
            order = order != 0 ? order : Integer.compare(tie, other.tie);
            return order != 0 ? order : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SplittableRandom random;
    private final Clock clock = new VirtualClock();
    private long now;
    private long sequence;

    SimScheduler(SplittableRandom random) {
        this.random = random;
    }

    /** Now, as time that passed since the start. */
    Duration elapsed() {
        return Duration.ofNanos(now);
    }

    Clock clock() {
        return clock;
    }

    Instant instant() {
        return START.plusNanos(now);
    }

    void after(Duration delay, Runnable task) {
        events.add(new Event(now + Math.max(0, delay.toNanos()), random.nextInt(), sequence++, task));
    }

    /** After some time up to a limit. */
    void within(Duration max, Runnable task) {
        after(upTo(max), task);
    }

    Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    /** Whether nothing happens any more up to a time, that included. */
    boolean idleUntil(Duration elapsed) {
        Event event = events.peek();
        return event == null || event.at() > elapsed.toNanos();
    }

    /** Lets the next event happen; false if there is none. */
    boolean step() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.at();
        event.task().run();
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
