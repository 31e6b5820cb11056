package io.csi4j.registry.internal.connection;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work that is done at least once after each time it is asked for, and never twice at the same time. However
 * often it is asked for while it is being done, it is done once more: who is slow costs no memory.
 */
public final class Coalesced {
    private final Turns turns;
    private final Runnable work;
    private final Runnable otherwise;
    private final AtomicBoolean asked = new AtomicBoolean();

    /** If the executor takes no more work, {@code otherwise} is done in its place. */
    public Coalesced(Executor executor, Runnable work, Runnable otherwise) {
        this.turns = new Turns(executor);
        this.work = work;
        this.otherwise = otherwise;
    }

    public void ask() {
        if (asked.compareAndSet(false, true)) {
            turns.run(() -> now(work), () -> now(otherwise));
        }
    }

    private void now(Runnable done) {
        // Before the work: what is asked for from now on may have come too late for it.
        asked.set(false);
        done.run();
    }
}
