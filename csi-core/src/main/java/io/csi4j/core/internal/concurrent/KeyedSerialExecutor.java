package io.csi4j.core.internal.concurrent;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of each key one at a time and in order; tasks of different keys run concurrently. A key without tasks uses no memory. Thread-safe.
 *
 * @param <K> the keys, by equality
 */
public final class KeyedSerialExecutor<K> {
    private final Executor executor;
    private final Consumer<? super Throwable> failures;

    // Guarded by this. A key is in it from its first task until no task of it is left.
    private final Map<K, Queue<Runnable>> queues = new HashMap<>();

    /**
     * Creates an executor without tasks.
     *
     * @param executor runs the tasks, never on the thread that hands them in
     * @param failures receives the exception of a task; the next tasks run all the same. Does not throw
     */
    public KeyedSerialExecutor(Executor executor, Consumer<? super Throwable> failures) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.failures = Objects.requireNonNull(failures, "failures");
    }

    /**
     * Runs a task after all tasks of the same key that were handed in before.
     *
     * @param key whose task it is
     * @param task what to do
     * @throws RejectedExecutionException if the other executor rejects it; then the task does not run
     */
    public synchronized void execute(K key, Runnable task) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(task, "task");
        Queue<Runnable> queue = queues.get(key);
        if (queue == null) {
            start(key, task);
        } else {
            queue.add(task);
        }
    }

    /** Inside the lock, so that no other thread adds a task to a queue whose start is rejected. */
    private void start(K key, Runnable first) {
        queues.put(key, new ArrayDeque<>(List.of(first)));
        try {
            executor.execute(() -> drain(key));
        } catch (RejectedExecutionException e) {
            queues.remove(key);
            throw e;
        }
    }

    /**
     * The keys that have tasks, including tasks that run.
     *
     * @return how many
     */
    public synchronized int keys() {
        return queues.size();
    }

    private void drain(K key) {
        for (Runnable task = next(key); task != null; task = next(key)) {
            SerialExecutor.run(task, failures);
        }
    }

    private synchronized @Nullable Runnable next(K key) {
        Queue<Runnable> queue = queues.get(key);
        Runnable task = queue == null ? null : queue.poll();
        if (task == null) {
            queues.remove(key);
        }
        return task;
    }
}
