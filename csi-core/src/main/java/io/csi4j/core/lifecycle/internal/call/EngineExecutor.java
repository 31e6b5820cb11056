package io.csi4j.core.lifecycle.internal.call;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The engine's executor on top of the host's. A task can name its follow-up, which runs next in the same thread. There is room for
 * one follow-up; further tasks go to the host's executor. Thread-safe.
 */
public final class EngineExecutor implements Executor {
    private final Executor executor;
    private final Executor callbacks;
    private final ThreadLocal<Turn> turns = ThreadLocal.withInitial(Turn::new);

    /** The tasks of one thread. */
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

    /** Completes a future of the host on a callback thread, because the host's callbacks may block. */
    public void tell(Runnable hosts) {
        callbacks.execute(hosts);
    }

    /**
     * Runs a task right after the present task of this thread. Outside of a task, or with a follow-up present, the task goes to the
     * executor.
     */
    public void next(Runnable task) {
        Turn turn = turns.get();
        if (turn.running && turn.next == null) {
            turn.next = task;
        } else {
            execute(task);
        }
    }

    /** Returns whether this thread runs a task of the engine. */
    public boolean runsHere() {
        return turns.get().running;
    }

    /** Returns whether the present task of this thread has a follow-up. */
    public boolean hasNext() {
        return turns.get().next != null;
    }

    private void run(Runnable first) {
        Turn turn = turns.get();
        if (turn.running) {
            // The host's executor ran the task in this thread, inside another task.
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
                // A port of the host threw an Error; the follow-up must not be lost with this thread.
                execute(left);
            }
        }
        failures.tell();
    }
}
