package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes the tasks of one volume's worker one after the other. Completes futures after the task that ends them and outside of the
 * serial execution, so that a callback may block or call the worker. Completions begin in their order. Each is a separate task, so that
 * one callback may wait for another. The methods {@link #afterTask} and {@link #close} belong to the tasks.
 */
final class WorkerTasks {
    private static final System.Logger LOG = System.getLogger(WorkerTasks.class.getName());

    private final VolumeKey key;
    private final Executor executor;
    private final Timer timer;
    private final Duration retry;
    private final Reporter reporter;
    private final Runnable before;
    private final SerialExecutor serial;
    /** The number of tasks that have not begun. */
    private final AtomicInteger pending = new AtomicInteger();

    /** The futures to complete after the current task. */
    private final List<Runnable> due = new ArrayList<>();
    /** The completions that have not begun. */
    private final Queue<Runnable> completions = new ConcurrentLinkedQueue<>();

    private boolean closed;

    /**
     * Creates an open executor without tasks.
     *
     * @param executor runs the tasks and completions
     * @param retry the time until a task or a completion that the executor rejects is submitted again
     * @param before runs at the beginning of each task
     */
    WorkerTasks(VolumeKey key, Executor executor, Timer timer, Duration retry, Reporter reporter, Runnable before) {
        this.key = key;
        this.executor = executor;
        this.timer = timer;
        this.retry = retry;
        this.reporter = reporter;
        this.before = before;
        // The thread of the tasks also completes the futures, but only after the tasks, so that a callback may block.
        this.serial = new SerialExecutor(
                tasks -> executor.execute(() -> {
                    tasks.run();
                    runAll(completions, executor);
                }),
                WorkerTasks::log);
    }

    /** Refuses all later requests and calls. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns whether no task waits for its execution. */
    boolean isIdle() {
        return pending.get() == 0;
    }

    /** Runs a completion after the current task. */
    void afterTask(Runnable completion) {
        due.add(completion);
    }

    /** Runs a task that must not be lost; if the executor rejects the task, it is submitted again later. */
    void run(Runnable task) {
        try {
            execute(task);
        } catch (RejectedExecutionException e) {
            reportRejected();
            timer.schedule(retry, () -> run(task));
        }
    }

    /**
     * Runs a request in a task; the future of the request fails if the worker is closed.
     *
     * @throws RejectedExecutionException if the executor is shut down
     */
    void submit(CompletableFuture<?> future, Runnable request) {
        execute(() -> {
            if (closed) {
                failLater(future, closedError());
                return;
            }
            try {
                request.run();
            } catch (RuntimeException | Error e) {
                // The request failed, so its future fails, too. Otherwise the caller would wait forever.
                failLater(future, e);
                throw e;
            }
        });
    }

    /** Makes a call that had to wait for its secrets, unless the worker was closed meanwhile. */
    CompletableFuture<?> callUnlessClosed(Supplier<CompletableFuture<?>> call) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        try {
            serial.execute(() -> {
                CompletableFuture<?> started = closed
                        ? CompletableFuture.failedFuture(closedError())
                        : NodeCalls.start(() -> call.get().thenApply(answer -> answer));
                var unused = started.whenComplete((answer, error) -> Futures.complete(result, answer, error));
            });
        } catch (RejectedExecutionException e) {
            // The outcome is known: the plugin was not called.
            result.completeExceptionally(new IOException("nothing was sent, since the executor takes no more work", e));
        }
        return result;
    }

    /**
     * Runs a task after all earlier tasks.
     *
     * @throws RejectedExecutionException if the executor rejects the task, which then does not run
     */
    void execute(Runnable task) {
        pending.incrementAndGet();
        try {
            serial.execute(() -> {
                pending.decrementAndGet();
                inTask(task);
            });
        } catch (RejectedExecutionException e) {
            pending.decrementAndGet();
            throw e;
        }
    }

    void inTask(Runnable task) {
        try {
            before.run();
            task.run();
        } finally {
            int ended = due.size();
            completions.addAll(due);
            due.clear();
            if (closed) {
                startLast(ended);
            } else if (pending.get() > 0) {
                // The thread of the tasks runs the next task first, so other threads run these completions.
                for (int i = 0; i < ended; i++) {
                    startNext();
                }
            }
        }
    }

    private void startNext() {
        if (completions.isEmpty()) {
            return;
        }
        try {
            executor.execute(() -> runNext(completions));
        } catch (RejectedExecutionException e) {
            timer.schedule(retry, this::startNext);
        }
    }

    /**
     * Runs the last completions when the worker is closed. Uses the executor, or new threads if the host has shut down
     * the executor too early.
     */
    private void startLast(int ended) {
        try {
            for (int i = 0; i < ended; i++) {
                executor.execute(() -> runNext(completions));
            }
        } catch (RejectedExecutionException e) {
            // Runs each completion on its own thread, because a callback may wait for another one.
            for (int left = completions.size(); left > 0; left--) {
                Thread thread = new Thread(() -> runNext(completions), "csi4j-node-completion");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    /** Runs queued completions on the current thread. If one blocks, threads of the executor run the others. */
    static void runAll(Queue<Runnable> completions, Executor executor) {
        try {
            completions.stream().skip(1).forEach(each -> executor.execute(() -> runNext(completions)));
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The executor rejects completions; one thread runs them all");
        }
        while (!completions.isEmpty()) {
            runNext(completions);
        }
    }

    private static void runNext(Queue<Runnable> completions) {
        Runnable next = completions.poll();
        if (next != null) {
            next.run();
        }
    }

    private static void log(Throwable error) {
        LOG.log(Level.ERROR, "A step of a volume on this node failed unexpectedly; the next one runs", error);
    }

    void failLater(CompletableFuture<?> future, Throwable error) {
        due.add(() -> future.completeExceptionally(error));
    }

    void reportRejected() {
        reporter.report(
                Kind.STEP_FAILED,
                key,
                null,
                "The executor takes no more work; volume " + key
                        + " stays as it is until it does, or until the next start");
    }

    NodeVolumeException closedError() {
        return new NodeVolumeException(
                Reason.CLOSED,
                "The node volumes were closed; what was begun for volume " + key + " continues at the next start");
    }
}
