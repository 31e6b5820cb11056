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
     * Returns the elapsed time on which the delays of this timer pass. It never goes back and never jumps, also when
     * the clock is set. All waiting of csi4j is measured with it; the clock of an {@link Environment} is only
     * for people.
     *
     * <p>The default is {@link System#nanoTime()}. A timer whose delays do not pass in real time, for example a timer
     * for tests, has to override this method.
     *
     * @return nanoseconds since an arbitrary moment, so only the difference of two values has a meaning
     */
    default long nanoTime() {
        return System.nanoTime();
    }

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
