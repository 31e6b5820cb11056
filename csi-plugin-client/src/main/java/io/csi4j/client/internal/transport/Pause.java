package io.csi4j.client.internal.transport;

import java.util.Set;
import java.util.concurrent.Executor;

/**
 * A task that waits for its time. When the connection is closed before, its time has come too: then it
 * finds out, and whoever waits for it is not left waiting.
 */
final class Pause {
    private final Set<Pause> pending;
    private final Executor executor;
    private final Runnable task;

    /** A task that is pending from now on. */
    Pause(Set<Pause> pending, Executor executor, Runnable task) {
        this.pending = pending;
        this.executor = executor;
        this.task = task;
        pending.add(this);
    }

    /** Calls the task off, unless it has begun. */
    void callOff() {
        pending.remove(this);
    }

    /** Runs the task, the first time only. */
    void end() {
        if (pending.remove(this)) {
            executor.execute(task);
        }
    }
}
