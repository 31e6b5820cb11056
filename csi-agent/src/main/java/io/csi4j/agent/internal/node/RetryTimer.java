package io.csi4j.agent.internal.node;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Pauses before a further try: each longer than the last, and of random length, so that nodes do not call as one. */
public final class RetryTimer {
    private static final long FIRST_MILLIS = 100;
    private static final int DOUBLINGS = 6;

    private final Timer timer;
    private final Executor executor;
    private final RandomGenerator random;

    public RetryTimer(Timer timer, Executor executor, RandomGenerator random) {
        this.timer = timer;
        this.executor = executor;
        this.random = random;
    }

    /**
     * Does something after a pause, on the executor.
     *
     * @param failures how many tries have failed, from 1
     */
    public Cancellable after(int failures, Runnable task) {
        long most = FIRST_MILLIS << Math.min(Math.max(0, failures - 1), DOUBLINGS);
        Duration pause = Duration.ofMillis(random.nextLong(most / 2, most + 1));
        return timer.schedule(pause, () -> executor.execute(task));
    }
}
