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
 * Time, threads and randomness of a program. One environment can serve all parts of a program. Safe for use by many
 * threads.
 *
 * <p>Close the parts that use an environment first, and the environment last: a task that it rejects ends the operation
 * that needed it with an error.
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
     * An environment with threads of its own: daemons named {@code csi4j-worker-N}, as many as there are tasks, and one
     * named {@code csi4j-timer-1}. They end with {@link #close}, or after a minute without a task.
     *
     * @return a new environment with the clock of the system; the caller closes it
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
     * An environment of the host's own parts.
     *
     * @param clock the clock of commands and events
     * @param timer runs tasks later
     * @param executor runs tasks; it must not run a task on the thread that hands it in
     * @param random spreads retries in time and makes names; used by one thread at a time. No two servers or nodes get the
     *     same numbers from theirs
     * @return an environment that owns nothing: the host closes the parts
     */
    public static Environment of(Clock clock, Timer timer, Executor executor, RandomGenerator random) {
        return of(clock, timer, executor, random, () -> {});
    }

    /** An environment that does something of its own when it is closed. */
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

    /**
     * Tells the time.
     *
     * @return the clock
     */
    public Clock clock() {
        return clock;
    }

    /**
     * Runs tasks later.
     *
     * @return the timer
     */
    public Timer timer() {
        return timer;
    }

    /**
     * Runs tasks.
     *
     * @return the executor
     */
    public Executor executor() {
        return executor;
    }

    /**
     * Spreads retries in time and makes names.
     *
     * @return the generator
     */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Ends the threads of {@link #system}: tasks that run or wait for a thread are finished, tasks of the timer are
     * dropped. Does not wait. Does nothing for an environment of the host's own parts.
     */
    @Override
    public void close() {
        close.run();
    }

    /** Lets one thread at a time use a generator. */
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
