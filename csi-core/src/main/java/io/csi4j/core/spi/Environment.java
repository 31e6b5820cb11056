package io.csi4j.core.spi;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * The clock, timer, executor and random numbers of a program. Several parts of a program may share one environment.
 * Safe for use by many threads.
 *
 * <p>Close the parts that use an environment first, then the environment. After {@link #close}, an environment from
 * {@link #system} rejects tasks, and operations that still need it end with an error.
 */
public final class Environment implements AutoCloseable {
    private final Clock clock;
    private final Timer timer;
    private final Executor executor;
    private final RandomGenerator random;
    private final Runnable close;

    private Environment(Clock clock, Timer timer, Executor executor, RandomGenerator random, Runnable close) {
        this.clock = Objects.requireNonNull(clock, "clock");
        this.timer = Objects.requireNonNull(timer, "timer");
        this.executor = Objects.requireNonNull(executor, "executor");
        this.random = new SharedRandom(Objects.requireNonNull(random, "random"));
        this.close = close;
    }

    /**
     * Creates an environment with the system clock and its own daemon threads: {@code csi4j-worker-N}, one for each
     * running task, and {@code csi4j-timer-1}. The worker threads end after a minute without a task. The caller must
     * close the environment.
     */
    public static Environment system() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, threads("csi4j-timer-"));
        scheduler.setRemoveOnCancelPolicy(true);
        ExecutorService workers = Executors.newCachedThreadPool(threads("csi4j-worker-"));
        return new Environment(Clock.systemUTC(), Timer.from(scheduler), workers, new SecureRandom(), () -> {
            scheduler.shutdownNow();
            workers.shutdown();
        });
    }

    /**
     * Creates an environment with the clock, timer, executor and random numbers that the host provides.
     * {@link #close} does not close them.
     *
     * @param clock the clock for the times in commands and events, which are for people. It may jump, and may differ
     *     from the clocks of other servers and nodes: no decision of csi4j depends on it, except whether an access token is
     *     expired
     * @param timer runs tasks after a delay, and measures elapsed time
     * @param executor runs tasks; it must not run a task on the thread that submits it
     * @param random generates the random part of retry delays, and of generated names. One thread at a time uses it.
     *     The generators of different servers and nodes must produce different numbers
     */
    public static Environment of(Clock clock, Timer timer, Executor executor, RandomGenerator random) {
        return of(clock, timer, executor, random, () -> {});
    }

    /** Creates an environment from its parts. {@link #close()} runs the action {@code close}. */
    static Environment of(Clock clock, Timer timer, Executor executor, RandomGenerator random, Runnable close) {
        return new Environment(clock, timer, executor, random, close);
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    public Clock clock() {
        return clock;
    }

    public Timer timer() {
        return timer;
    }

    public Executor executor() {
        return executor;
    }

    /** Returns the random numbers for retry delays and for generated names; safe for use by many threads. */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Ends the threads of an environment from {@link #system}. Tasks that were submitted to the executor still run;
     * tasks of the timer are dropped. Does not wait for the end of the tasks. Does nothing if the host provided
     * the timer and the executor.
     */
    @Override
    public void close() {
        close.run();
    }

    /** Makes a generator safe for several threads: one thread at a time uses it. */
    private static final class SharedRandom implements RandomGenerator {
        private final RandomGenerator generator;

        SharedRandom(RandomGenerator generator) {
            this.generator = generator;
        }

        @Override
        public synchronized long nextLong() {
            return generator.nextLong();
        }
    }
}
