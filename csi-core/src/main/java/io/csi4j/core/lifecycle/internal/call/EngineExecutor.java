package io.csi4j.core.lifecycle.internal.call;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The host's executor, where a task can name the one that goes on with what it did: that one runs next, in the same
 * thread, while all it needs is at hand. A place for one only, and nothing that goes on waits for it: what else comes
 * goes to the executor. Safe for use by many threads.
 */
public final class EngineExecutor implements Executor {
    private final Executor executor;
    private final Executor callbacks;
    private final ThreadLocal<Turn> turns = ThreadLocal.withInitial(Turn::new);

    /** What one thread is at. */
    private static final class Turn {
        private boolean running;
        private @Nullable Runnable next;

        private @Nullable Runnable take() {
            Runnable task = next;
            next = null;
            return task;
        }
    }

    public EngineExecutor(Executor executor, Executor callbacks) {
        this.executor = executor;
        this.callbacks = callbacks;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> run(task));
    }

    /** Completes a future of the host's, whose callbacks may block: on threads that the engine does not need. */
    public void tell(Runnable hosts) {
        callbacks.execute(hosts);
    }

    /** Runs a task right after the one this thread is at; at any other time, and if that place is taken, like others. */
    public void next(Runnable task) {
        Turn turn = turns.get();
        if (turn.running && turn.next == null) {
            turn.next = task;
        } else {
            execute(task);
        }
    }

    /** Whether this thread is at a task of the engine's. */
    public boolean runsHere() {
        return turns.get().running;
    }

    /** Whether some task runs right after the one this thread is at. */
    public boolean hasNext() {
        return turns.get().next != null;
    }

    private void run(Runnable first) {
        Turn turn = turns.get();
        if (turn.running) {
            // The host's executor had this very thread run it, inside another task.
            first.run();
            return;
        }
        turn.running = true;
        TaskFailures failures = new TaskFailures();
        try {
            for (Runnable task = first; task != null; task = turn.take()) {
                failures.run(task);
            }
        } finally {
            turn.running = false;
            Runnable left = turn.take();
            if (left != null) {
                // A port of the host's threw what nothing in Java may throw there: this thread is not lost for it.
                execute(left);
            }
        }
        failures.tell();
    }
}
