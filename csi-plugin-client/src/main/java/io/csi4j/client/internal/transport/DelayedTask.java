package io.csi4j.client.internal.transport;

import java.util.Set;
import java.util.concurrent.Executor;

/**
 * A task that runs after a delay, or when the connection is closed before that, because a call waits for the task.
 */
final class DelayedTask {
    private final Set<DelayedTask> pending;
    private final Executor executor;
    private final Runnable task;

    /** Creates a task and adds it to {@code pending}. */
    DelayedTask(Set<DelayedTask> pending, Executor executor, Runnable task) {
        this.pending = pending;
        this.executor = executor;
        this.task = task;
        pending.add(this);
    }

    /** Cancels the task, unless it has begun. */
    void cancel() {
        pending.remove(this);
    }

    /** Runs the task, the first time only. */
    void end() {
        if (pending.remove(this)) {
            executor.execute(task);
        }
    }
}
