package io.csi4j.node;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs tasks one after the other on an executor, without keeping a thread while there are none. */
final class SerialRunner implements Executor {
    private static final System.Logger LOG = System.getLogger(SerialRunner.class.getName());

    private final Executor executor;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialRunner(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        }
        executor.execute(this::drain);
    }

    /** Whether no task waits to run; one may be running. */
    boolean nothingWaits() {
        synchronized (tasks) {
            return tasks.isEmpty();
        }
    }

    private void drain() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "A step of a volume on this node failed unexpectedly; the next one goes on", e);
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
