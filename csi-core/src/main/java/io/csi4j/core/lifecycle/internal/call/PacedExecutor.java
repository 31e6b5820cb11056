package io.csi4j.core.lifecycle.internal.call;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands an executor a few tasks at a time, in the order they came. However many volumes are to be looked at at once,
 * what ends a call, and lets the next one begin, never stands behind all of them. Safe for use by many threads.
 */
public final class PacedExecutor implements Executor {
    /** Enough for every thread to find work; so few that what comes beside them waits for hardly anything. */
    public static final int MOST = 64;

    private final Executor executor;

    // Guarded by this.
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int begun;

    public PacedExecutor(Executor executor) {
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
        run(handOver(task));
    }

    /** Answers the task if the executor has had this very thread run it, as one that is full may do. */
    private @Nullable Runnable handOver(Runnable task) {
        Place place = new Place(task, Thread.currentThread());
        try {
            executor.execute(place);
        } catch (RuntimeException e) {
            // The place is not the task's any more.
            ended();
            throw e;
        }
        return place.handedBack();
    }

    /** One after the other, so that an executor that runs them here does not have each stand on the one before. */
    private void run(@Nullable Runnable first) {
        Runnable task = first;
        TaskFailures failures = new TaskFailures();
        while (task != null) {
            failures.run(task);
            Runnable next = next();
            task = next == null ? null : handOver(next);
        }
        failures.tell();
    }

    private synchronized void ended() {
        begun--;
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        begun -= next == null ? 1 : 0;
        return next;
    }

    /** A task in the executor's hands. */
    private final class Place implements Runnable {
        private final Runnable task;
        private final Thread handing;
        /** Set and read by the handing thread only. */
        private boolean handed;

        private boolean back;

        Place(Runnable task, Thread handing) {
            this.task = task;
            this.handing = handing;
        }

        @Override
        public void run() {
            if (Thread.currentThread().equals(handing) && !handed) {
                back = true;
            } else {
                PacedExecutor.this.run(task);
            }
        }

        @Nullable Runnable handedBack() {
            handed = true;
            return back ? task : null;
        }
    }
}
