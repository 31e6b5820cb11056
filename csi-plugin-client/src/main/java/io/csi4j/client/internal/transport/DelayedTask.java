package io.csi4j.client.internal.transport;

import java.util.Set;
import java.util.concurrent.Executor;

/**
 * A task for which a call waits. The task runs after a delay; if the connection is closed before that, the task runs at
 * once, so that the call does not wait in vain.
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

    /** Runs the task, unless it was cancelled or has run before. */
    void end() {
        if (pending.remove(this)) {
            executor.execute(task);
        }
    }
}
