package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.internal.text.Durations;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Runs a task on request; the task processes many rows of the state. The task never runs twice at the same time: all
 * requests that arrive during a run together cause one more run.
 */
public final class CoalescingTask {
    /** After a run over at most this number of rows, the next run may begin without a pause. */
    private static final int FEW = 50;
    /**
     * The length of the pause after a run, for each row that the run processed; it limits the processor time that
     * frequent changes can use.
     */
    private static final long PAUSE_NANOS_PER_ROW = 10_000;

    private final EnginePorts ports;
    private final Term term;
    private final LongSupplier task;

    // The flags wanted and busy are guarded by this object's monitor.
    private boolean wanted;
    private boolean busy;

    /**
     * Creates a task that has not run yet.
     *
     * @param ports the host's executor and timer
     * @param term the term of leadership; after the end of the term, the task does not run
     * @param task does the work of one run and returns the number of processed rows
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
        begin();
    }

    /** Begins a run, or tries it again after a pause if the host's executor rejects it. */
    private void begin() {
        try {
            ports.executor().execute(this::run);
        } catch (RejectedExecutionException e) {
            Duration pause = ports.options().retryBase();
            FailureLog.warn(
                    "The executor takes no task, so changed rows are read in " + Durations.text(pause)
                            + " at the earliest",
                    e);
            var unused = ports.timer().schedule(pause, this::again);
        }
    }

    private void run() {
        synchronized (this) {
            wanted = false;
        }
        Duration pause = runTask();
        if (pause.isZero()) {
            again();
        } else {
            var unused = ports.timer().schedule(pause, this::again);
        }
    }

    /**
     * Runs the task and returns the pause after it. A task that failed has missed rows, so it is requested again and
     * runs after the backoff of a first retry.
     */
    private Duration runTask() {
        try {
            long rows = term.ended() ? 0 : task.getAsLong();
            return rows > FEW ? Duration.ofNanos(rows * PAUSE_NANOS_PER_ROW) : Duration.ZERO;
        } catch (RuntimeException | Error e) {
            Duration pause = ports.options().retryBase();
            FailureLog.warn("Changed rows could not be read; they are read again in " + Durations.text(pause), e);
            synchronized (this) {
                wanted = true;
            }
            return pause;
        }
    }

    private void again() {
        synchronized (this) {
            busy = wanted && !term.ended();
            if (!busy) {
                return;
            }
        }
        begin();
    }
}
