package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import java.lang.System.Logger;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The time, threads and random numbers of one registry. The host's environment may reject tasks and timers while the registry closes, or
 * earlier if the host ends its threads first. Each method documents what happens then. Thread-safe.
 */
public final class RegistryEnvironment {
    private static final Logger LOG = System.getLogger(RegistryEnvironment.class.getName());

    private final Environment environment;
    private final ElapsedTime elapsed;
    /** Whether rejected tasks are no longer logged: after the registry was closed, or after the first warning. */
    private final AtomicBoolean quiet = new AtomicBoolean();

    public RegistryEnvironment(Environment environment, ElapsedTime elapsed) {
        this.environment = environment;
        this.elapsed = elapsed;
    }

    public Clock clock() {
        return environment.clock();
    }

    public ElapsedTime elapsed() {
        return elapsed;
    }

    /** Returns the elapsed time with a new random number. */
    public Moment moment() {
        return new Moment(elapsed.nanos(), environment.random().nextDouble());
    }

    public Backoff backoff(Duration first, Duration max) {
        return new Backoff(first, max, environment.random());
    }

    public Timeouts timeouts() {
        return new Timeouts(environment.timer(), environment.executor());
    }

    /** Returns a new executor that runs its tasks one at a time; the exception of a task is logged. */
    public SerialExecutor serialExecutor() {
        return new SerialExecutor(
                environment.executor(),
                defect -> LOG.log(
                        Logger.Level.ERROR, "A task of the plugin registry failed; please report this", defect));
    }

    /** Runs a task on one of the serial executors; if the task is rejected, runs {@code otherwise} on this thread. */
    public void execute(Executor serial, Runnable task, Runnable otherwise) {
        try {
            serial.execute(task);
        } catch (RejectedExecutionException e) {
            warn(e);
            otherwise.run();
        }
    }

    /**
     * Runs the completion of a future on the executor, or on the current thread if the executor rejects it, because a
     * caller waits for the future.
     */
    public void complete(Runnable completion) {
        try {
            environment.executor().execute(completion);
        } catch (RejectedExecutionException e) {
            completion.run();
        }
    }

    /** Runs a task after a delay; if the timer rejects it, runs {@code otherwise} on this thread. */
    public Cancellable schedule(Duration delay, Runnable task, Runnable otherwise) {
        try {
            return environment.timer().schedule(delay, task);
        } catch (RejectedExecutionException e) {
            warn(e);
            otherwise.run();
            return () -> {};
        }
    }

    /** Records that the registry is closed, so that rejected tasks are expected and not logged. */
    public void closing() {
        quiet.set(true);
    }

    private void warn(RejectedExecutionException e) {
        if (!quiet.getAndSet(true)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "Plugins are no longer watched: the environment of the plugin registry rejects tasks; close it after"
                            + " the registry",
                    e);
        }
    }
}
