package io.csi4j.client.registry;

import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads and the timer of a host with virtual time. They reject tasks after the host has ended them. */
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
