package io.csi4j.node.internal.worker;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Runs tasks one after the other on an executor, without keeping a thread while there are none. */
public final class SerialRunner implements Executor {
    private static final System.Logger LOG = System.getLogger(SerialRunner.class.getName());

    private final Executor executor;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    /** Belongs to the tasks. */
    private final List<Runnable> afterwards = new ArrayList<>();
    /** What was said to be done afterwards, and nobody has begun yet. */
    private final Queue<Runnable> left = new ConcurrentLinkedQueue<>();

    private boolean running;
    /** What the executor was given and did not begin yet; of what it was given before and refused, nothing comes. */
    private @Nullable Object handed;

    SerialRunner(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs a task when those before it are done.
     *
     * @throws RejectedExecutionException if the executor takes no more; the task will not run. So with any error
     */
    @Override
    public void execute(Runnable task) {
        // The executor is asked under the lock: whoever else brings a task learns the same as the first.
        synchronized (tasks) {
            tasks.add(task);
            if (!running) {
                running = true;
                try {
                    hand();
                } catch (RuntimeException | Error e) {
                    running = false;
                    tasks.removeLast();
                    throw e;
                }
            }
        }
    }

    /** Under the lock: has the executor go on with the tasks. One that fails to may have kept it all the same. */
    private void hand() {
        Object mine = new Object();
        handed = mine;
        try {
            executor.execute(() -> run(mine));
        } catch (RuntimeException | Error e) {
            handed = null;
            throw e;
        }
    }

    private void run(Object given) {
        synchronized (tasks) {
            if (!given.equals(handed)) {
                return;
            }
            handed = null;
        }
        finish(drain());
    }

    /** The same; false: the executor takes no more now, or has no thread for it. */
    private boolean handedOver() {
        try {
            hand();
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    /**
     * Runs a task here and now, or where those before it run.
     *
     * @return what was said to be done {@linkplain #afterwards}; the caller does it
     */
    List<Runnable> executeHere(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return List.of();
            }
            running = true;
        }
        return drain();
    }

    /**
     * Runs a task when those before it are done; if the executor takes no more now, before the next that it takes.
     *
     * @return false: the executor takes no more now
     */
    boolean executeOrKeep(Runnable task) {
        synchronized (tasks) {
            try {
                execute(task);
                return true;
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                tasks.add(task);
                return false;
            }
        }
    }

    /** Runs a task on the executor; if that takes no more, here and now, and what was kept does not run. */
    void executeOrHere(Runnable task) {
        synchronized (tasks) {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
            if (handedOver()) {
                return;
            }
            tasks.clear();
            tasks.add(task);
            // Nobody else runs a task of this runner, and nobody will while this one does.
            LOG.log(Level.DEBUG, "The executor takes no more work; a last step is done by who asked for it");
        }
        finish(drain());
    }

    /**
     * From within a task: has something done when the task has ended and no other task waits for it, such as what others
     * have to say to a result.
     */
    void afterwards(Runnable work) {
        afterwards.add(work);
    }

    /** Whether no task waits to run; one may be running. */
    boolean nothingWaits() {
        synchronized (tasks) {
            return tasks.isEmpty();
        }
    }

    /** Does what was said to be done afterwards: one thing here, and what is left elsewhere, since each may block. */
    void finish(List<Runnable> works) {
        left.addAll(works);
        finishLeft();
    }

    private void finishLeft() {
        for (Runnable first = left.poll(); first != null; first = left.poll()) {
            if (!left.isEmpty()) {
                elsewhere();
            }
            runSafely(first);
        }
    }

    /** What is begun here may wait for what is left. */
    private void elsewhere() {
        try {
            executor.execute(this::finishLeft);
        } catch (RejectedExecutionException | OutOfMemoryError refused) {
            Thread teller = new Thread(this::finishLeft, "csi4j-volume-teller");
            teller.setDaemon(true);
            try {
                teller.start();
            } catch (OutOfMemoryError e) {
                LOG.log(Level.DEBUG, "There is no thread to be had; others are told here, or with the next");
            }
        }
    }

    private List<Runnable> drain() {
        List<Runnable> works = new ArrayList<>();
        boolean through = false;
        try {
            for (Runnable task = next(); task != null; task = next()) {
                runSafely(task);
                if (!afterwards.isEmpty()) {
                    works.addAll(afterwards);
                    afterwards.clear();
                    if (handedOn()) {
                        break;
                    }
                }
            }
            through = true;
            return works;
        } finally {
            if (!through) {
                works.addAll(afterwards);
                afterwards.clear();
                goOn();
                finish(works);
            }
        }
    }

    /** A task threw what nothing in Java may throw: that is the executor's to tell, and takes no other task with it. */
    private void goOn() {
        synchronized (tasks) {
            running = !tasks.isEmpty() && handedOver();
            if (!running && !tasks.isEmpty()) {
                LOG.log(Level.DEBUG, "The executor takes no more work; what is left waits for the next that it takes");
            }
        }
    }

    /** Whether this thread has nothing more to do with the tasks, and others may. */
    private boolean handedOn() {
        synchronized (tasks) {
            if (tasks.isEmpty()) {
                running = false;
                return true;
            }
            if (handedOver()) {
                return true;
            }
            LOG.log(Level.DEBUG, "The executor takes no more work; the last steps are done where they came up");
            return false;
        }
    }

    private static void runSafely(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "A step of a volume on this node failed unexpectedly; the next one goes on", e);
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
