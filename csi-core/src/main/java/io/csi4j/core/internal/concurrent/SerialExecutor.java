package io.csi4j.core.internal.concurrent;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on another executor, one at a time and in order. Each task sees the memory effects of the task before. A
 * task that adds another task does not run it; the added task runs afterwards. Thread-safe.
 */
public final class SerialExecutor implements Executor {
    private final Executor executor;
    private final Consumer<? super Throwable> failures;

    // This object's monitor guards both fields: the queued tasks, and whether a thread is running them now.
    private final Queue<Runnable> tasks = new ArrayDeque<>(1);
    private boolean draining;

    /**
     * Creates an executor without tasks.
     *
     * @param executor runs the tasks, never on the thread that submits them
     * @param failures receives the exception of each task that fails; the next tasks run nevertheless. The consumer
     *     must not throw
     */
    public SerialExecutor(Executor executor, Consumer<? super Throwable> failures) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.failures = Objects.requireNonNull(failures, "failures");
    }

    /**
     * Runs a task after all tasks that were submitted before.
     *
     * @throws RejectedExecutionException if the underlying executor rejects the task, which then does not run
     */
    @Override
    public synchronized void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        tasks.add(task);
        if (!draining) {
            start();
        }
    }

    /**
     * Starts to run the queued tasks on the underlying executor. If that executor rejects them, this method clears the
     * queue. The caller holds this object's lock, so no other thread can add a task before the queue is cleared.
     */
    private void start() {
        draining = true;
        try {
            executor.execute(this::drain);
        } catch (RejectedExecutionException e) {
            draining = false;
            tasks.clear();
            throw e;
        }
    }

    private void drain() {
        for (Runnable task = next(); task != null; task = next()) {
            run(task, failures);
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable task = tasks.poll();
        draining = task != null;
        return task;
    }

    static void run(Runnable task, Consumer<? super Throwable> failures) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            failures.accept(e);
        }
    }
}
