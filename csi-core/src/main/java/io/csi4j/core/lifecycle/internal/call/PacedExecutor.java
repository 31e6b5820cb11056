package io.csi4j.core.lifecycle.internal.call;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands a few tasks at a time to an executor, in order. So the end of a call never waits behind the plans of many volumes.
 * Thread-safe.
 */
public final class PacedExecutor implements Executor {
    /** Enough tasks for every thread, and few enough that other tasks hardly wait for them. */
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

    /** Returns the task if the executor ran it in this very thread, as a full executor may do. */
    private @Nullable Runnable handOver(Runnable task) {
        Place place = new Place(task, Thread.currentThread());
        try {
            executor.execute(place);
        } catch (RuntimeException e) {
            // The task has given up its slot.
            ended();
            throw e;
        }
        return place.handedBack();
    }

    /** Runs tasks one after the other, so that an executor that runs tasks in the calling thread does not nest them. */
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

    /** A task in the hands of the executor. */
    private final class Place implements Runnable {
        private final Runnable task;
        private final Thread handing;
        /** Used by the thread that hands over the task only. */
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
