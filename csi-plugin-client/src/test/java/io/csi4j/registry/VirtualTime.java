package io.csi4j.registry;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** One thread that is clock, timer and executor at once: everything happens in one order, and no time passes. */
final class VirtualTime {
    private static final Instant BEGIN = Instant.parse("2026-11-01T00:00:00Z");

    private final Queue<Runnable> work = new ArrayDeque<>();
    private final PriorityQueue<Planned> timers =
            new PriorityQueue<>(Comparator.comparingLong(Planned::at).thenComparingLong(Planned::number));
    private long now = 5_000_000_000L;
    private final long begin = now;
    private long planned;
    private long fired;

    private static final class Planned {
        private final long at;
        private final long number;
        private final Runnable task;
        private boolean cancelled;

        Planned(long at, long number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        long at() {
            return at;
        }

        long number() {
            return number;
        }
    }

    /** Whether the host has ended its threads. */
    boolean ended;

    Executor executor() {
        return task -> {
            if (ended) {
                throw new RejectedExecutionException("the host has ended its threads");
            }
            work.add(task);
        };
    }

    Timer timer() {
        return this::schedule;
    }

    private Cancellable schedule(Duration delay, Runnable task) {
        Planned timer = new Planned(now + Math.max(0, delay.toNanos()), planned++, task);
        timers.add(timer);
        return () -> timer.cancelled = true;
    }

    long nanos() {
        return now;
    }

    /** How many timers have fired: what an idle program costs. */
    long fired() {
        return fired;
    }

    Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Instant instant() {
                return BEGIN.plusNanos(now - begin);
            }
        };
    }

    Surroundings surroundings(long seed) {
        return new Surroundings(executor(), timer(), clock(), this::nanos, new SplittableRandom(seed));
    }

    /** Does all that can be done without time. */
    void settle() {
        for (Runnable next = work.poll(); next != null; next = work.poll()) {
            next.run();
        }
    }

    void pass(Duration time) {
        long end = now + time.toNanos();
        settle();
        for (Planned next = timers.peek(); next != null && next.at <= end; next = timers.peek()) {
            timers.remove();
            if (!next.cancelled) {
                now = next.at;
                fired++;
                next.task.run();
                settle();
            }
        }
        now = end;
    }
}
