package io.csi4j.core.lifecycle.internal.call;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Runs a task over many rows in the executor, never twice at a time. Requests during a run cause one more run. */
public final class CoalescingTask {
    /** A run over at most this number of rows needs no pause before the next. */
    private static final int FEW = 50;
    /** The pause after a run, for each row, so that a storm of changes uses only a part of a core. */
    private static final long PAUSE_NANOS_PER_ROW = 10_000;

    private final EnginePorts ports;
    private final Term term;
    private final LongSupplier task;

    // Guarded by this.
    private boolean wanted;
    private boolean busy;

    /**
     * Creates a task that has not run yet.
     *
     * @param ports the executor and the timer
     * @param term the task stops with the term
     * @param task runs the task and returns the number of rows
     */
    public CoalescingTask(EnginePorts ports, Term term, LongSupplier task) {
        this.ports = ports;
        this.term = term;
        this.task = task;
    }

    public void request() {
        synchronized (this) {
            wanted = true;
            if (busy) {
                return;
            }
            busy = true;
        }
        ports.executor().execute(this::run);
    }

    private void run() {
        synchronized (this) {
            wanted = false;
        }
        long runTask = runTask();
        if (runTask > FEW) {
            var unused = ports.timer().schedule(Duration.ofNanos(runTask * PAUSE_NANOS_PER_ROW), this::again);
        } else {
            again();
        }
    }

    /** Runs the task. A failed run is logged; the next scan finds what it missed. */
    private long runTask() {
        try {
            return term.ended() ? 0 : task.getAsLong();
        } catch (RuntimeException e) {
            FailureLog.warn("A scan of changed rows failed; the next scan repeats it", e);
            return 0;
        }
    }

    private void again() {
        synchronized (this) {
            busy = wanted;
            if (!busy) {
                return;
            }
        }
        ports.executor().execute(this::run);
    }
}
