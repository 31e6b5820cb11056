package io.csi4j.agent.internal.server;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/** Runs tasks on an executor after a delay. Closing it cancels all tasks that have not started. Thread-safe. */
final class ClaimTimers implements AutoCloseable {
    private final Timer timer;
    private final Executor executor;
    private final Set<Scheduled> scheduled = new HashSet<>();
    private boolean closed;

    ClaimTimers(Timer timer, Executor executor) {
        this.timer = timer;
        this.executor = executor;
    }

    /** One task; compared by identity. */
    private static final class Scheduled {
        private Cancellable timer = () -> {};
    }

    /** Schedules a task. Does nothing after close. A task that was cancelled does not start. */
    synchronized Cancellable after(Duration delay, Runnable task) {
        if (closed) {
            return () -> {};
        }
        Scheduled entry = new Scheduled();
        scheduled.add(entry);
        entry.timer = timer.schedule(
                delay,
                () -> executor.execute(() -> {
                    if (removed(entry)) {
                        task.run();
                    }
                }));
        return () -> cancel(entry);
    }

    private synchronized boolean removed(Scheduled entry) {
        return scheduled.remove(entry);
    }

    private void cancel(Scheduled entry) {
        if (removed(entry)) {
            entry.timer.cancel();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        scheduled.forEach(entry -> entry.timer.cancel());
        scheduled.clear();
    }
}
