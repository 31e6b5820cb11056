package io.csi4j.core.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs something later. Safe for use by many threads. */
@FunctionalInterface
public interface Timer {
    /**
     * Runs a task once, after a while.
     *
     * @param delay how long to wait; zero or less: at once, and still not on the caller's stack
     * @param task what to do; short, and it never blocks
     * @return calls the task off
     */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * A timer on a scheduler of the host.
     *
     * @param scheduler runs the tasks; the host closes it
     * @return the timer
     */
    static Timer from(ScheduledExecutorService scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        return (delay, task) -> {
            Future<?> future = scheduler.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        };
    }
}
