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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes the tasks of one volume's worker one after the other, and completes futures after the task that ends them. The methods
 * {@link #afterTask} and {@link #close} belong to the tasks.
 */
final class WorkerTasks {
    private static final System.Logger LOG = System.getLogger(WorkerTasks.class.getName());

    private final VolumeKey key;
    private final Timer timer;
    private final Duration retry;
    private final Reporter reporter;
    private final Runnable before;
    private final SerialExecutor serial;
    /** The number of tasks that have not begun. */
    private final AtomicInteger pending = new AtomicInteger();

    private final Completions completions;
    /** The futures to complete after the current task. */
    private final List<Runnable> due = new ArrayList<>();

    private boolean closed;

    /**
     * Creates an open executor without tasks.
     *
     * @param retry the time until a task that the executor rejects is submitted again
     * @param before runs at the beginning of each task
     */
    WorkerTasks(VolumeKey key, Executor executor, Timer timer, Duration retry, Reporter reporter, Runnable before) {
        this.key = key;
        this.timer = timer;
        this.retry = retry;
        this.reporter = reporter;
        this.before = before;
        this.completions = new Completions(executor, timer, retry);
        // The thread of the tasks also completes the futures, but only after the tasks, so that a callback may block.
        this.serial = new SerialExecutor(
                tasks -> executor.execute(() -> {
                    tasks.run();
                    completions.runAdded();
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
            List<Runnable> ended = List.copyOf(due);
            due.clear();
            if (closed) {
                completions.startLast(ended);
            } else if (pending.get() > 0) {
                completions.start(ended);
            } else {
                completions.add(ended);
            }
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
