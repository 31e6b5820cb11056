package io.csi4j.core.internal.replication;

import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * Decides whether this server leads: it has the lease, the lease is not too old by its own elapsed time, and its state has
 * all entries from before. The lease counts from the sending of the statement that took or renewed it, and this server
 * gives it up before another one may take it. Thread-safe.
 */
public final class LeaderTerm {
    private final Timer timer;
    private final Leadership leadership;
    private final long nanos;

    // The monitor of this object guards the fields below.
    private long term;
    private boolean complete;
    private boolean ended;
    private long until;

    /** Changed only in the order of the notifications, so that it is the term in which the listeners act. */
    private volatile long acting;

    /**
     * Creates an object for a server without the lease.
     *
     * @param timer measures the lease
     * @param leadership notified of each change
     * @param length how long a lease counts at this server; shorter than for the other servers
     */
    public LeaderTerm(Timer timer, Leadership leadership, Duration length) {
        this.timer = timer;
        this.leadership = leadership;
        this.nanos = length.toNanos();
    }

    /** Returns the term whose lease this server has or had last; 0: it was lost. */
    public synchronized long held() {
        return term;
    }

    /**
     * Returns the term in which the listeners act; 0: none. It ends only when all listeners were notified, which may be
     * after another server has begun to lead. A command that is bound to it is then refused.
     */
    public long acting() {
        return acting;
    }

    /** Returns whether this server leads at this moment. If its lease has ended, it does not wait for the timer. */
    public synchronized boolean mayAct() {
        update();
        return complete;
    }

    /** Returns whether the state has all entries from before this term. */
    public synchronized boolean complete() {
        return complete;
    }

    /** Returns the elapsed time since the last statement was sent that took or renewed the lease; empty: there is no lease. */
    public synchronized Optional<Duration> leaseAge() {
        return term == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(timer.nanoTime() - until + nanos));
    }

    /** The database has given this server the lease, or has renewed it. */
    public synchronized void renewed(long renewedTerm, long sentAt) {
        if (term != renewedTerm) {
            term = renewedTerm;
            complete = false;
        }
        until = sentAt + nanos;
        update();
        try {
            var unused = timer.schedule(Duration.ofNanos(Math.max(0, until - timer.nanoTime())), this::update);
        } catch (RejectedExecutionException closed) {
            lost();
        }
    }

    /** The state has all entries from before a term. */
    public synchronized void completed(long completedTerm) {
        if (!ended && term == completedTerm && valid()) {
            complete = true;
            update();
        }
    }

    /** This server has the lease no more. */
    public synchronized void lost() {
        term = 0;
        complete = false;
        update();
    }

    /** This server leads never more. It keeps the lease, so that no other one leads before the listeners have stopped. */
    public synchronized void end() {
        ended = true;
        complete = false;
        update();
    }

    /** Returns whether this server leads never more. */
    public synchronized boolean ended() {
        return ended;
    }

    private synchronized void update() {
        if (!valid()) {
            // Other servers may write while this one does not hear from the database.
            complete = false;
        }
        if (complete && !leadership.leading()) {
            long begun = term;
            leadership.afterNotified(() -> acting = begun);
            leadership.set(true);
        } else if (!complete && leadership.leading()) {
            leadership.set(false);
            leadership.afterNotified(() -> acting = 0);
        }
    }

    private boolean valid() {
        return term != 0 && timer.nanoTime() - until < 0;
    }
}
