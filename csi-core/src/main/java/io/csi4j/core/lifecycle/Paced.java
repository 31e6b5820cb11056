package io.csi4j.core.lifecycle;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands an executor a few tasks at a time, in the order they came. However many volumes are to be looked at at once,
 * what ends a call, and lets the next one begin, never stands behind all of them. Safe for use by many threads.
 */
final class Paced implements Executor {
    /** Enough for every thread to find work; so few that what comes beside them waits for hardly anything. */
    static final int MOST = 64;

    private final Executor executor;

    // Guarded by this.
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int begun;

    Paced(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (this) {
            if (begun == MOST) {
                waiting.add(task);
                return;
            }
            begun++;
        }
        begin(task);
    }

    private void begin(Runnable task) {
        try {
            executor.execute(() -> run(task));
        } catch (RuntimeException e) {
            // The place is not the task's any more; who waits for one could not begin either.
            ended();
            throw e;
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } finally {
            Runnable next = next();
            if (next != null) {
                begin(next);
            }
        }
    }

    private synchronized void ended() {
        begun--;
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        begun -= next == null ? 1 : 0;
        return next;
    }
}
