package io.csi4j.registry;

import java.lang.System.Logger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs tasks one after another, in the order they came, on an executor. No lock is held, and nobody waits. */
final class Turns {
    private static final Logger LOG = System.getLogger(Turns.class.getName());

    private final Executor executor;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();

    Turns(Executor executor) {
        this.executor = executor;
    }

    void run(Runnable task) {
        tasks.add(task);
        if (pending.getAndIncrement() == 0) {
            try {
                executor.execute(this::drain);
            } catch (RejectedExecutionException closed) {
                LOG.log(Logger.Level.WARNING, "plugins are no longer watched: their executor was closed first", closed);
            }
        }
    }

    private void drain() {
        do {
            Runnable task = tasks.remove();
            try {
                task.run();
            } catch (RuntimeException | Error defect) {
                // One turn that fails must not end all later ones.
                LOG.log(Logger.Level.ERROR, "a turn of the plugin registry failed; please report this", defect);
            }
        } while (pending.decrementAndGet() > 0);
    }
}
