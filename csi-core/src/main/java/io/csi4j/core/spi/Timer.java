package io.csi4j.core.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs tasks after a delay. Safe for use by many threads. */
@FunctionalInterface
public interface Timer {
    /**
     * Runs a task once after a delay.
     *
     * @param delay the delay; with zero or less, the task runs at once, but never on the thread of the caller
     * @param task a short task that does not block
     * @return an object that can cancel the task
     */
    Cancellable schedule(Duration delay, Runnable task);

    /**
     * Returns a timer that uses a scheduler of the host.
     *
     * @param scheduler the scheduler that runs the tasks; the host closes it
     */
    static Timer from(ScheduledExecutorService scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        return (delay, task) -> {
            Future<?> future = scheduler.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        };
    }
}
