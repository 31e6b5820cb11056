package io.csi4j.registry.internal.connection;

import java.lang.System.Logger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Runs tasks one after another, in the order they came, on an executor. No lock is held, and nobody waits. */
public final class Turns {
    private static final Logger LOG = System.getLogger(Turns.class.getName());

    private final Executor executor;
    private final Queue<Turn> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger pending = new AtomicInteger();
    private final AtomicBoolean refused = new AtomicBoolean();

    private record Turn(Runnable task, Runnable otherwise) {}

    public Turns(Executor executor) {
        this.executor = executor;
    }

    public void run(Runnable task) {
        run(task, () -> {});
    }

    /** If the executor takes no more work, {@code otherwise} is run in its place, here and now, and is a turn too. */
    public void run(Runnable task, Runnable otherwise) {
        tasks.add(new Turn(task, otherwise));
        if (pending.getAndIncrement() == 0) {
            begin();
        }
    }

    private void begin() {
        try {
            executor.execute(() -> drain(Turn::task));
        } catch (RejectedExecutionException closed) {
            if (!refused.getAndSet(true)) {
                LOG.log(Logger.Level.WARNING, "plugins are no longer watched: their executor was closed first", closed);
            }
            drain(Turn::otherwise);
        }
    }

    private void drain(Function<Turn, Runnable> part) {
        do {
            Turn turn = tasks.remove();
            try {
                part.apply(turn).run();
            } catch (RuntimeException | Error defect) {
                // One turn that fails must not end all later ones.
                LOG.log(Logger.Level.ERROR, "a turn of the plugin registry failed; please report this", defect);
            }
        } while (pending.decrementAndGet() > 0);
    }
}
