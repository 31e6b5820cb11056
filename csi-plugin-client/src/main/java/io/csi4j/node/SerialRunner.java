package io.csi4j.node;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs tasks one after the other on an executor, without keeping a thread while there are none. */
final class SerialRunner implements Executor {
    private static final System.Logger LOG = System.getLogger(SerialRunner.class.getName());

    private final Executor executor;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialRunner(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs a task when those before it are done.
     *
     * @throws RejectedExecutionException if the executor takes no more; the task will not run
     */
    @Override
    public void execute(Runnable task) {
        // The executor is asked under the lock: whoever else brings a task learns the same as the first.
        synchronized (tasks) {
            tasks.add(task);
            if (!running) {
                running = true;
                try {
                    executor.execute(this::drain);
                } catch (RejectedExecutionException e) {
                    running = false;
                    tasks.removeLast();
                    throw e;
                }
            }
        }
    }

    /** The same; if the executor takes no more, the task runs here and now. */
    void executeOrHere(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
            try {
                executor.execute(this::drain);
                return;
            } catch (RejectedExecutionException e) {
                // Nobody else runs a task of this runner, and nobody will while this one does.
                LOG.log(Level.DEBUG, "The executor takes no more work; a last step is done by who asked for it");
            }
        }
        drain();
    }

    /** Whether no task waits to run; one may be running. */
    boolean nothingWaits() {
        synchronized (tasks) {
            return tasks.isEmpty();
        }
    }

    private void drain() {
        boolean through = false;
        try {
            for (Runnable task = next(); task != null; task = next()) {
                try {
                    task.run();
                } catch (RuntimeException e) {
                    LOG.log(
                            Level.ERROR,
                            "A step of a volume on this node failed unexpectedly; the next one goes on",
                            e);
                }
            }
            through = true;
        } finally {
            if (!through) {
                goOn();
            }
        }
    }

    /** A task threw what nothing in Java may throw: that is the executor's to tell, and takes no other task with it. */
    private void goOn() {
        synchronized (tasks) {
            running = !tasks.isEmpty();
            if (running) {
                try {
                    executor.execute(this::drain);
                } catch (RejectedExecutionException e) {
                    running = false;
                    LOG.log(
                            Level.DEBUG,
                            "The executor takes no more work; what is left waits for the next that it takes");
                }
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (tasks) {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        }
    }
}
