package io.csi4j.agent.internal.node;

import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Schedules the next attempt of a call to the servers after a backoff. */
public final class RetryTimer {
    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration MAX = Duration.ofMillis(6_400);

    private final Timer timer;
    private final Executor executor;
    private final Backoff backoff;

    public RetryTimer(Timer timer, Executor executor, RandomGenerator random) {
        this.timer = timer;
        this.executor = executor;
        this.backoff = new Backoff(FIRST, MAX, random);
    }

    /**
     * Runs a task on the executor after the backoff.
     *
     * @param failures the number of failed attempts, from 1
     */
    public Cancellable after(int failures, Runnable task) {
        return timer.schedule(backoff.after(failures), () -> executor.execute(task));
    }
}
