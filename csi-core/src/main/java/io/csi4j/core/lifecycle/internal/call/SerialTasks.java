package io.csi4j.core.lifecycle.internal.call;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Runs tasks in an executor, one at a time and in order. Thread-safe. */
public final class SerialTasks {
    private final EngineExecutor executor;

    // Guarded by this.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    public SerialTasks(EngineExecutor executor) {
        this.executor = executor;
    }

    public void add(Runnable task) {
        synchronized (this) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        executor.execute(this::run);
    }

    private void run() {
        Runnable task = next();
        while (task != null) {
            task.run();
            if (executor.hasNext()) {
                // A follow-up of the task runs before the next task.
                executor.execute(this::run);
                return;
            }
            task = next();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable task = tasks.poll();
        running = task != null;
        return task;
    }
}
