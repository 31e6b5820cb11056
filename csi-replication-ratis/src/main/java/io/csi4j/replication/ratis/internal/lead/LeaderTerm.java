package io.csi4j.replication.ratis.internal.lead;

import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether this peer leads. An elected peer leads while it holds its lease, but not before the guard time has
 * passed, because the lease of the former leader may last until then. A peer that is alone leads as soon as it is
 * elected. Thread-safe.
 */
public final class LeaderTerm {
    private final Timer timer;
    private final LongSupplier clock;
    private final Leadership leadership;
    private final LeaderLease lease;
    private final BooleanSupplier leaseHeld;
    private final BooleanSupplier alone;
    private final LeaseTimes times;

    // The monitor of this object guards the fields below.
    private final PeerContacts contacts;
    private @Nullable Object election;
    private long electedAt;

    /**
     * Creates the term of a peer that is not elected.
     *
     * @param timer renews the lease
     * @param clock elapsed time in nanoseconds
     * @param leadership notified of each change
     * @param lease the lease of this peer
     * @param leaseHeld whether the lease is held now
     * @param alone whether there is no other peer, so that no lease is needed
     * @param times the durations
     * @param contacts logs which peers this leader has lost
     */
    public LeaderTerm(
            Timer timer,
            LongSupplier clock,
            Leadership leadership,
            LeaderLease lease,
            BooleanSupplier leaseHeld,
            BooleanSupplier alone,
            LeaseTimes times,
            PeerContacts contacts) {
        this.timer = timer;
        this.clock = clock;
        this.leadership = leadership;
        this.lease = lease;
        this.leaseHeld = leaseHeld;
        this.alone = alone;
        this.times = times;
        this.contacts = contacts;
    }

    /** The peer was elected, and has applied all entries that were committed before. */
    public void elected() {
        Object mine = new Object();
        synchronized (this) {
            election = mine;
            electedAt = clock.getAsLong();
        }
        check(mine);
    }

    /** The peer does not lead any more. */
    public synchronized void deposed() {
        election = null;
        contacts.ended();
        leadership.set(false);
    }

    /** Returns whether this peer leads at this moment. If its lease has ended, it does not wait for the timer. */
    public synchronized boolean mayAct() {
        if (leadership.leading() && !alone.getAsBoolean() && !leaseHeld.getAsBoolean()) {
            leadership.set(false);
        }
        return leadership.leading();
    }

    /**
     * Updates whether the peer leads, and schedules the next update. Ends when the peer is deposed or elected again.
     */
    private void check(Object mine) {
        synchronized (this) {
            if (!mine.equals(election)) {
                return;
            }
            lease.renew();
            contacts.check();
            boolean guarded = clock.getAsLong() - electedAt >= times.guard().toNanos();
            leadership.set(alone.getAsBoolean() || (guarded && leaseHeld.getAsBoolean()));
        }
        try {
            timer.schedule(times.renewal(), () -> check(mine));
        } catch (RejectedExecutionException closed) {
            deposed();
        }
    }

    /**
     * The durations of the lease rule.
     *
     * @param lease how long a leader may act after it sent a request that a majority has accepted
     * @param renewal the time between two requests that renew the lease
     * @param guard the time from an election until the new leader acts
     */
    public record LeaseTimes(Duration lease, Duration renewal, Duration guard) {
        /** Returns the durations for an election timeout. */
        public static LeaseTimes of(Duration electionTimeout) {
            Duration lease = electionTimeout.multipliedBy(2).dividedBy(5);
            return new LeaseTimes(
                    lease, lease.dividedBy(5), lease.multipliedBy(3).dividedBy(2));
        }
    }
}
