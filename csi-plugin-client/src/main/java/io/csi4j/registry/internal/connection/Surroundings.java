package io.csi4j.registry.internal.connection;

import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;

/**
 * What this package needs of the world.
 *
 * @param executor runs all work, and never on the thread that brings it
 * @param timer runs something later
 * @param clock the time that users see
 * @param elapsed elapsed time
 * @param random jitter
 */
public record Surroundings(Executor executor, Timer timer, Clock clock, ElapsedTime elapsed, RandomGenerator random) {
    /**
     * Completes a future that a caller waits for, on the executor. If the executor rejects the task, completes the future
     * on the current thread.
     */
    public void tell(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException closed) {
            task.run();
        }
    }

    /** This moment, with a random number to go with it. */
    public Moment moment() {
        double chance;
        // Not every generator bears use by several threads.
        synchronized (random) {
            chance = random.nextDouble();
        }
        return new Moment(elapsed.nanos(), chance);
    }
}
