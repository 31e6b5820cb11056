package io.csi4j.core.lifecycle.internal.call;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Runs a look at many rows in the executor, never twice at a time; requests in between become one. */
public final class CoalescingTask {
    /** So many rows are looked at again at once. */
    private static final int FEW = 50;
    /** A look at many rows is paid for with a pause, so that a storm of changes costs a part of a core at most. */
    private static final long PAUSE_NANOS_PER_ROW = 10_000;

    private final EnginePorts ports;
    private final Term term;
    private final LongSupplier look;

    // Guarded by this.
    private boolean wanted;
    private boolean busy;

    /**
     * Makes one that has not looked yet.
     *
     * @param ports executor and timer
     * @param term once it is over nothing is looked at
     * @param look answers how many rows it has looked at
     */
    public CoalescingTask(EnginePorts ports, Term term, LongSupplier look) {
        this.ports = ports;
        this.term = term;
        this.look = look;
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
        long looked = looked();
        if (looked > FEW) {
            var unused = ports.timer().schedule(Duration.ofNanos(looked * PAUSE_NANOS_PER_ROW), this::again);
        } else {
            again();
        }
    }

    /** What a look that failed has missed is found by the next scan. */
    private long looked() {
        try {
            return term.over() ? 0 : look.getAsLong();
        } catch (RuntimeException e) {
            FailureLog.warn("A look at what changed failed; the next scan finds it", e);
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
