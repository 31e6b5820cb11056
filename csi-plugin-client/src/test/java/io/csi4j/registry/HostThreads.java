package io.csi4j.registry;

import io.csi4j.core.spi.VirtualTime;
import io.csi4j.registry.internal.connection.Surroundings;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads of a host on virtual time; they reject tasks once the host has ended them. */
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

    Surroundings surroundings(long seed) {
        return new Surroundings(this, time, time, () -> time.elapsed().toNanos(), new SplittableRandom(seed));
    }
}
