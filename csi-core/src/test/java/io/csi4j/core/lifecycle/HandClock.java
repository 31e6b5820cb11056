package io.csi4j.core.lifecycle;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/** Time and threads by hand: a clock, a timer and an executor that do nothing unless told to. One thread. */
final class HandClock extends Clock implements Timer, Executor {
    private static final int MOST_TASKS = 200_000;

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<Task> planned =
            new PriorityQueue<>(Comparator.comparing((Task task) -> task.at).thenComparingLong(task -> task.number));
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long number;
    private long ran;
    private boolean atOnce;

    private record Task(Instant at, long number, Runnable run) {}

    @Override
    public void execute(Runnable task) {
        if (atOnce) {
            task.run();
        } else {
            tasks.add(task);
        }
    }

    /** Runs something; each task that it hands over runs before it goes on, as on another thread that is faster. */
    void withFastThreads(Runnable action) {
        atOnce = true;
        try {
            action.run();
        } finally {
            atOnce = false;
        }
    }

    @Override
    public Cancellable schedule(Duration delay, Runnable run) {
        Task task = new Task(now.plus(delay.isNegative() ? Duration.ZERO : delay), number++, run);
        planned.add(task);
        return () -> planned.remove(task);
    }

    /** Runs one task; false if there is none. */
    boolean step() {
        Runnable task = tasks.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    /** Runs all that can be run without time passing. */
    void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            if (++ran > MOST_TASKS) {
                throw new AssertionError("a hot loop: more than " + MOST_TASKS + " tasks");
            }
        }
    }

    /** Lets time pass, and runs all that is due in its order. */
    void advance(Duration by) {
        Instant end = now.plus(by);
        run();
        while (!planned.isEmpty() && !planned.peek().at.isAfter(end)) {
            Task task = planned.poll();
            now = task.at.isAfter(now) ? task.at : now;
            task.run.run();
            run();
        }
        now = end;
    }

    /** How many tasks were run so far. */
    long ran() {
        return ran;
    }

    int planned() {
        return planned.size();
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("this clock has no other zone");
    }
}
