package io.csi4j.registry;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.registry.internal.connection.RegistryEnvironment;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads of a host on virtual time; they and its timer reject tasks once the host has ended them. */
final class HostThreads implements Executor {
    private final VirtualTime time;
    boolean ended;

    HostThreads(VirtualTime time) {
        this.time = time;
    }

    @Override
    public void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the host has ended its threads");
        }
        time.execute(task);
    }

    private Cancellable schedule(Duration delay, Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the host has ended its timer");
        }
        return time.schedule(delay, task);
    }

    RegistryEnvironment environment(long seed) {
        return new RegistryEnvironment(
                Environment.of(time, this::schedule, this, new SplittableRandom(seed)),
                () -> time.elapsed().toNanos());
    }
}
