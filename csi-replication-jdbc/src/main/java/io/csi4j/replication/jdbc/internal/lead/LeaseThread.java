package io.csi4j.replication.jdbc.internal.lead;

import io.csi4j.core.internal.replication.LeaderTerm;
import io.csi4j.core.spi.Timer;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Head;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.Overview;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the database in each period, on a thread of its own: renews the lease of this server, or takes the lease if its
 * holder has not renewed it for the whole time. No clocks are compared: this server measures, in its own elapsed time, how
 * long it has seen the same number of renewals.
 */
public final class LeaseThread {
    private static final int BEATS_PER_REPORT = 10;

    private final Database database;
    private final LogTables tables;
    private final Timer timer;
    private final LeaderTerm term;
    private final Self self;
    private final Duration period;
    private final long lease;
    private final LongSupplier applied;
    private final Listener listener;
    private final Thread thread = new Thread(this::run, "csi4j-log-lease");

    // The monitor of this object guards the fields below.
    private boolean due = true;
    private boolean closing;

    // Only the thread uses the fields below.
    private Head.@Nullable Lease seen;
    private long seenAt;
    private int beats;
    /** The database in which this server has taken the lease, and the one that the head named then. */
    private String identity = "";

    private String named = "";
    private boolean broken;

    /** Whether the nodes have to report before this server leads, because the log may be an older copy. */
    private volatile boolean suspect;

    /**
     * This process.
     *
     * @param name the name of the server
     * @param holder the random number of the process, not 0
     * @param version the version of csi4j
     */
    public record Self(String name, long holder, String version) {}

    /** Hears what the thread finds. */
    public interface Listener {
        /** The database has answered. */
        void found(Overview overview);

        /** This server has taken the lease. */
        void taken(Head head);

        /**
         * This server has the lease, and its state may miss entries. Called again in each period until the state is
         * complete.
         *
         * @param suspect whether the nodes have to report before this server leads
         */
        void complete(long term, boolean suspect);

        /** The database has not answered, or has refused. */
        void troubled(SQLException failure);

        /** The thread has ended for good. */
        void failed(Throwable reason);
    }

    /**
     * Creates a thread that does not run yet.
     *
     * @param database reads and writes the lease
     * @param tables the statements
     * @param timer measures the lease
     * @param term decides whether this server leads
     * @param self this process
     * @param period the time between two looks
     * @param lease the time without a renewal after which this server takes the lease
     * @param applied the index of the last applied entry
     * @param listener hears what the thread finds
     */
    public LeaseThread(
            Database database,
            LogTables tables,
            Timer timer,
            LeaderTerm term,
            Self self,
            Duration period,
            Duration lease,
            LongSupplier applied,
            Listener listener) {
        this.database = database;
        this.tables = tables;
        this.timer = timer;
        this.term = term;
        this.self = self;
        this.period = period;
        this.lease = lease.toNanos();
        this.applied = applied;
        this.listener = listener;
        thread.setDaemon(true);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** The state has the command that lets all nodes report. */
    public void reported() {
        suspect = false;
    }

    /** Looks at the database soon. */
    public synchronized void wake() {
        due = true;
        notifyAll();
    }

    private void run() {
        try {
            while (awaitBeat()) {
                try {
                    beat();
                    broken = false;
                } catch (SQLException failure) {
                    broken = true;
                    listener.troubled(failure);
                }
            }
        } catch (RuntimeException | Error reason) {
            listener.failed(reason);
        }
    }

    private synchronized boolean awaitBeat() {
        while (!due && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                closing = true;
            }
        }
        due = false;
        try {
            var unused = timer.schedule(period, this::wake);
        } catch (RejectedExecutionException closed) {
            closing = true;
        }
        return !closing;
    }

    private void beat() throws SQLException {
        long mine = term.held();
        long sentAt = timer.nanoTime();
        LogTables.Progress progress = beats % BEATS_PER_REPORT == 0 ? progress() : null;
        Overview found = tables.overview(database, progress, mine, self.holder());
        Head head = found.head();
        if (mine != 0 && found.renewed() && !otherDatabase(head)) {
            renewed(mine, sentAt);
        } else if (mine != 0) {
            term.lost();
        }
        observe(head.lease());
        listener.found(found);
        if (term.held() == 0 && !term.ended() && mayTake(head.lease())) {
            take(head);
        }
        if (progress != null && !found.lists(self.name())) {
            // The row of this server was removed.
            tables.seen(database, progress);
        }
        beats++;
    }

    private LogTables.Progress progress() {
        return new LogTables.Progress(self.name(), self.holder(), applied.getAsLong(), self.version());
    }

    private void renewed(long mine, long sentAt) throws SQLException {
        term.renewed(mine, sentAt);
        if (!term.complete()) {
            listener.complete(mine, suspect);
        } else if (!named.equals(identity)) {
            identify();
        }
    }

    private void identify() throws SQLException {
        database.transaction(connection -> {
            tables.identify(connection, identity);
            return identity;
        });
        named = identity;
    }

    /** Whether another database has taken the place of the one in which this server took the lease. */
    private boolean otherDatabase(Head head) throws SQLException {
        if (broken && !database.transaction(tables::identity).equals(identity)) {
            return true;
        }
        return !head.identity().equals(named);
    }

    private void observe(Head.Lease now) {
        if (seen == null || seen.term() != now.term() || seen.renewals() != now.renewals()) {
            seen = now;
            seenAt = timer.nanoTime();
        }
    }

    private boolean mayTake(Head.Lease now) {
        return now.free() || now.holder() == self.holder() || timer.nanoTime() - seenAt >= lease;
    }

    private void take(Head found) throws SQLException {
        long sentAt = timer.nanoTime();
        Optional<Taking> taking = database.transaction(connection -> {
            if (!tables.take(connection, found.lease(), self.holder(), self.name())) {
                return Optional.empty();
            }
            Head head = tables.head(connection)
                    .orElseThrow(() -> new SQLException("the row of the log's head or lease is gone"));
            return Optional.of(new Taking(head, tables.identity(connection)));
        });
        if (taking.isPresent()) {
            Head head = taking.get().head();
            identity = taking.get().identity();
            named = head.identity();
            // A log that never had a leader is in its first database.
            suspect = !named.isEmpty() && !named.equals(identity);
            observe(head.lease());
            listener.taken(head);
            term.renewed(head.lease().term(), sentAt);
            listener.complete(head.lease().term(), suspect);
        }
    }

    private record Taking(Head head, String identity) {}

    /** Lets the thread end after its present transaction. */
    public synchronized void stop() {
        closing = true;
        notifyAll();
    }

    /** Lets the thread end after its present transaction, and waits for that. */
    public void close(Duration limit) {
        stop();
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
