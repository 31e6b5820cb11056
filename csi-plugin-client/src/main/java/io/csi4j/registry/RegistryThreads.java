package io.csi4j.registry;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The threads of a registry without an executor or timer of the host's. Daemons; they end when idle. */
final class RegistryThreads {
    private static final long IDLE_SECONDS = 10;

    private RegistryThreads() {}

    /** As many as there is work: a listener that blocks takes one, and holds up nobody. */
    static ThreadPoolExecutor workers() {
        return new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                named("csi4j-registry-"),
                // Only after the registry was closed: whoever waits for the last word must get it even then.
                (work, pool) -> work.run());
    }

    static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
                1,
                named("csi4j-registry-timer-"),
                // Only after the registry was closed: then nothing is due any more.
                new ThreadPoolExecutor.DiscardPolicy());
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return timer;
    }

    private static ThreadFactory named(String prefix) {
        AtomicLong count = new AtomicLong();
        return work -> {
            Thread thread = new Thread(work, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
