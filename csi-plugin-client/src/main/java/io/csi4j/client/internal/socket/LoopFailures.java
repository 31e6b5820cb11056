package io.csi4j.client.internal.socket;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * Reports the failures that the I/O threads have survived: the first one, the second, the fourth, the eighth and so on,
 * so that a lasting failure fills no log. Thread-safe.
 */
final class LoopFailures {
    private static final System.Logger LOG = System.getLogger(LoopFailures.class.getName());
    /** The pause after a failure, so that a lasting one does not use a whole processor. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BiConsumer<Long, Throwable> report;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong reportAt = new AtomicLong(1);

    LoopFailures() {
        this((count, failure) -> LOG.log(
                Level.ERROR,
                "Code on the network thread " + Thread.currentThread().getName()
                        + " has failed. The thread keeps its connections; one of them may have missed an"
                        + " event. Failures of this kind until now: " + count
                        + ". Report this as a defect, unless the process had no free descriptor or memory",
                failure));
    }

    /**
     * Creates an object without failures.
     *
     * @param report writes a line about a failure, with the number of failures until now; if it throws, the next
     *     failure is reported
     */
    LoopFailures(BiConsumer<Long, Throwable> report) {
        this.report = report;
    }

    /**
     * Counts a failure and reports it when its turn comes. Never throws.
     *
     * @param failure the failure of code on the present thread, or of the logger that was to report one
     */
    void survived(Throwable failure) {
        long count = failures.incrementAndGet();
        long next = reportAt.get();
        if (count >= next && reportAt.compareAndSet(next, 2 * count)) {
            try {
                report.accept(count, failure);
            } catch (Throwable unreported) {
                // A logger without descriptors or memory. The next failure is reported.
                reportAt.set(count + 1);
            }
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }
}
