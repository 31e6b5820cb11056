package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.Timer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Completes the futures of a worker outside of its serial execution, so that a callback may block or call the worker.
 * Completions begin in their order. Each is a separate task, so that one callback may wait for another.
 */
final class Completions {
    private static final System.Logger LOG = System.getLogger(Completions.class.getName());

    private final Executor executor;
    private final Timer timer;
    private final Duration retry;
    private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();

    /**
     * Creates an empty list of completions.
     *
     * @param executor runs the completions; a completion that it rejects is submitted again later
     * @param retry the time until a rejected completion is submitted again
     */
    Completions(Executor executor, Timer timer, Duration retry) {
        this.executor = executor;
        this.timer = timer;
        this.retry = retry;
    }

    /** Adds completions, which the caller runs later with {@link #runAdded}. */
    void add(List<Runnable> completions) {
        due.addAll(completions);
    }

    /** Adds completions to the queue, and runs them on the executor in the order of the queue. */
    void start(List<Runnable> completions) {
        due.addAll(completions);
        completions.forEach(each -> startNext());
    }

    private void startNext() {
        if (due.isEmpty()) {
            return;
        }
        try {
            executor.execute(this::runNext);
        } catch (RejectedExecutionException e) {
            timer.schedule(retry, this::startNext);
        }
    }

    /**
     * Runs the last completions when the worker is closed. Uses the executor, or new threads if the host has shut down
     * the executor too early.
     */
    void startLast(List<Runnable> completions) {
        due.addAll(completions);
        try {
            completions.forEach(each -> executor.execute(this::runNext));
        } catch (RejectedExecutionException e) {
            // Runs each completion on its own thread, because a callback may wait for another one.
            for (int left = due.size(); left > 0; left--) {
                Thread thread = new Thread(this::runNext, "csi4j-node-completion");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    /** Runs the added completions on the current thread. If one blocks, threads of the executor run the others. */
    void runAdded() {
        try {
            due.stream().skip(1).forEach(each -> executor.execute(this::runNext));
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The executor rejects completions; one thread runs them all");
        }
        while (!due.isEmpty()) {
            runNext();
        }
    }

    private void runNext() {
        Runnable next = due.poll();
        if (next != null) {
            next.run();
        }
    }
}
