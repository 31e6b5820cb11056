package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.Head;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.Recorded;
import io.csi4j.replication.jdbc.internal.state.AppliedLog;
import io.csi4j.replication.jdbc.internal.state.Capture;
import io.csi4j.replication.jdbc.internal.submit.RecordedCommands;
import io.csi4j.replication.jdbc.internal.submit.Submission;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Writes the commands of this server into the log, and if it leads those of the host's transactions, and applies all
 * entries in their order, on one thread. Commands that wait go into one transaction. The same thread completes their
 * futures, as the contract of CommandLog permits.
 *
 * <p>If more commands wait when a transaction has committed, the thread applies its entries while the database writes the
 * next ones. At most one committed transaction waits for this, and nothing is read from the log before it is applied.
 *
 * <p>An append takes place only at the index at which the entries end that are applied, or that this thread has committed.
 * So a command whose commit has an unknown end is simply appended again: if the log has it, this append fails, and the entry
 * is found when it is applied.
 */
final class LogThread {
    /** So many rows take far longer than a commit, and while they are written, as many are applied. */
    private static final int MOST_COMMANDS = 500;

    private static final int MOST_BYTES = 8 << 20;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final AppliedLog log;
    private final LogWriter writer;
    private final RecordedCommands recorded;
    private final long origin;
    private final LongSupplier leads;
    private final Timer timer;
    private final Listener listener;
    private final Thread thread = new Thread(this::run, "csi4j-log");

    // The monitor of this object guards the fields below.
    private final Deque<Submission> queue = new ArrayDeque<>();
    private final List<CompletableFuture<Head>> reads = new ArrayList<>();
    private boolean behind;
    private boolean moving;
    private boolean resting;
    private boolean closing;

    // Only the thread uses the fields below.

    /** The commands that are being written, or whose commit has an unknown end. */
    private final Map<Long, Submission> inFlight = new LinkedHashMap<>();

    /** The entries that are committed, and that this thread has not applied yet; null: none. */
    private LogWriter.@Nullable Batch unapplied;

    /** The commands of this server among them. */
    private final Map<Long, Submission> committed = new HashMap<>();

    private Duration pause = FIRST_PAUSE;

    /** Hears how the thread fares. */
    interface Listener {
        /** The database has answered. */
        void worked();

        /** The database has not answered, or has refused; the thread tries again. */
        void troubled(SQLException failure);

        /** An attempt to append commands has ended. */
        void appended(LogCommit commit);

        /** The thread has ended for good. */
        void failed(Throwable reason);
    }

    /**
     * Creates a thread that does not run yet.
     *
     * @param database writes and reads the log
     * @param tables the statements
     * @param log the applied entries; belongs to this thread from its start
     * @param recorded the commands of the host's transactions
     * @param origin the random number of this process
     * @param leads returns the term in which this server acts; 0: none
     * @param timer measures pauses
     * @param listener hears how the thread fares
     */
    LogThread(
            Database database,
            LogTables tables,
            AppliedLog log,
            RecordedCommands recorded,
            long origin,
            LongSupplier leads,
            Timer timer,
            Listener listener) {
        this.log = log;
        this.writer = new LogWriter(database, tables, origin, timer, listener::appended);
        this.recorded = recorded;
        this.origin = origin;
        this.leads = leads;
        this.timer = timer;
        this.listener = listener;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Adds a command. */
    synchronized void add(Submission submission) {
        queue.addLast(submission);
        notifyAll();
    }

    /** Reads the log soon, because it may have new entries. */
    synchronized void wake() {
        behind = true;
        notifyAll();
    }

    /** Moves the commands of the host's transactions to the log soon, if this server leads. */
    synchronized void move() {
        if (leads.getAsLong() != 0) {
            moving = true;
            notifyAll();
        }
    }

    /** Completes with the head of the log after all entries were applied that are committed now. */
    synchronized CompletableFuture<Head> read() {
        CompletableFuture<Head> read = new CompletableFuture<>();
        if (closing) {
            read.cancel(false);
            return read;
        }
        reads.add(read);
        notifyAll();
        return read;
    }

    /** Returns the state with its place in the log. The thread may be applying the next entry, so this waits for it. */
    CompletableFuture<Capture> capture() {
        return read().thenApply(head -> log.capture());
    }

    /** An entry was applied: its command may be one of this thread. */
    void applied(Entry entry, Outcome outcome) {
        if (entry.origin() == origin) {
            Submission known = committed.remove(entry.number());
            Submission own = known == null ? inFlight.remove(entry.number()) : known;
            if (own != null) {
                own.outcome().complete(outcome);
            }
        } else if (entry.origin() == Entry.HOST && entry.term() == leads.getAsLong()) {
            recorded.applied(entry, outcome);
        }
    }

    /**
     * A snapshot has replaced the state. It may have commands whose commit has an unknown end, and does not have their
     * outcomes, so they must not be appended again.
     */
    void restored() {
        List<Submission> unknown = inFlight.values().stream()
                .filter(submission -> submission.lastFailure() != null)
                .toList();
        unknown.forEach(submission -> inFlight.remove(submission.number()));
        unknown.forEach(submission -> submission
                .outcome()
                .completeExceptionally(new UnansweredCommandException(
                        "JdbcCommandLog: this server was without the database for so long that it began again with a"
                                + " snapshot; the command may have been applied. Submit it again",
                        submission.lastFailure())));
    }

    private void run() {
        try {
            while (awaitWork()) {
                try {
                    work();
                    pause = FIRST_PAUSE;
                    listener.worked();
                } catch (SQLException failure) {
                    inFlight.values().forEach(submission -> submission.failed(failure));
                    rest();
                    listener.troubled(failure);
                }
            }
        } catch (RuntimeException | Error reason) {
            listener.failed(reason);
        } finally {
            end();
        }
    }

    /** Waits until there is work; returns false when the thread is to end. */
    private synchronized boolean awaitWork() {
        while (!closing && (resting || idle())) {
            try {
                wait();
            } catch (InterruptedException e) {
                closing = true;
            }
        }
        return !closing;
    }

    private boolean idle() {
        return queue.isEmpty() && reads.isEmpty() && !behind && !moving && inFlight.isEmpty();
    }

    private synchronized void rest() {
        resting = true;
        behind = true;
        try {
            var unused = timer.schedule(pause, this::rested);
        } catch (RejectedExecutionException closed) {
            closing = true;
        }
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
    }

    private synchronized void rested() {
        resting = false;
        notifyAll();
    }

    private void work() throws SQLException {
        List<CompletableFuture<Head>> waiting = takeReads();
        boolean move = takeMove();
        try {
            takeCommands();
            if (move) {
                // The statement that reads the commands of the host would delay the outcomes.
                applyCommitted();
            }
            long term = move ? leads.getAsLong() : 0;
            List<Recorded> host = term == 0 ? List.of() : recorded.next();
            boolean appended = !(inFlight.isEmpty() && host.isEmpty()) && append(host, term);
            boolean again = appended && recorded.more();
            boolean reads = !appended || !waiting.isEmpty();
            if (reads || !moreCommands()) {
                applyCommitted();
            }
            if (reads) {
                Head head = log.catchUp();
                long now = head.lease().term();
                refuse(submission -> submission.term() != now);
                waiting.forEach(read -> read.complete(head));
                // In another term, another server moves them.
                again |= !appended && now == term;
            }
            if (!host.isEmpty() && again) {
                move();
            }
        } catch (SQLException | RuntimeException | Error failure) {
            giveBack(waiting);
            if (move) {
                move();
            }
            throw failure;
        }
    }

    private synchronized boolean takeMove() {
        boolean move = moving;
        moving = false;
        return move;
    }

    private synchronized List<CompletableFuture<Head>> takeReads() {
        behind = false;
        List<CompletableFuture<Head>> taken = List.copyOf(reads);
        reads.clear();
        return taken;
    }

    private synchronized void giveBack(List<CompletableFuture<Head>> taken) {
        reads.addAll(taken);
    }

    /** Commands without a caller are given up. */
    private synchronized void takeCommands() {
        inFlight.values().removeIf(submission -> submission.outcome().isDone());
        if (!inFlight.isEmpty()) {
            return;
        }
        int bytes = 0;
        while (!queue.isEmpty() && inFlight.size() < MOST_COMMANDS && bytes < MOST_BYTES) {
            Submission next = queue.removeFirst();
            if (!next.outcome().isDone()) {
                inFlight.put(next.number(), next);
                bytes += next.content().length;
            }
        }
    }

    /**
     * Appends the commands in flight and those of the host. They are applied later; before this method returns, the
     * entries are applied that were committed before.
     *
     * @param host the commands of the host's transactions, bound to a term
     * @param leads the term in which this server acts; 0 without commands of the host
     * @return false if the log does not end where they would begin, or no command is left
     */
    private boolean append(List<Recorded> host, long leads) throws SQLException {
        long term = Math.max(
                leads,
                inFlight.values().stream().mapToLong(Submission::term).max().orElse(0));
        refuse(submission -> submission.term() < term);
        inFlight.values().removeIf(submission -> !submission.attempt());
        if (inFlight.isEmpty() && host.isEmpty()) {
            return false;
        }
        LogWriter.Batch batch = batch(host, term);
        // The entries before these are in the log, and so they can be applied meanwhile.
        boolean done = unapplied == null ? writer.append(batch) : writer.append(batch, this::applyCommitted);
        if (done) {
            unapplied = batch;
            committed.putAll(inFlight);
            inFlight.clear();
        }
        return done;
    }

    private LogWriter.Batch batch(List<Recorded> host, long term) {
        byte[] before = unapplied == null ? log.chain() : unapplied.last().chain();
        long end = unapplied == null ? log.index() : unapplied.last().index();
        byte[] chain = before;
        List<Entry> entries = new ArrayList<>();
        for (Submission submission : inFlight.values()) {
            long index = end + 1 + entries.size();
            entries.add(
                    Entry.after(chain, index, submission.term(), origin, submission.number(), submission.content()));
            chain = entries.get(entries.size() - 1).chain();
        }
        for (Recorded command : host) {
            long index = end + 1 + entries.size();
            entries.add(Entry.after(chain, index, term, Entry.HOST, command.id(), command.content()));
            chain = entries.get(entries.size() - 1).chain();
        }
        return new LogWriter.Batch(entries, before, term);
    }

    private synchronized boolean moreCommands() {
        return !queue.isEmpty() && !closing;
    }

    private void applyCommitted() {
        if (unapplied != null) {
            List<Entry> entries = unapplied.entries();
            unapplied = null;
            entries.forEach(log::apply);
        }
    }

    /** Ends the commands that are bound to another leadership than the present one: the log does not take them any more. */
    private void refuse(Predicate<Submission> another) {
        List<Submission> former = inFlight.values().stream()
                .filter(submission -> submission.term() != 0 && another.test(submission))
                .toList();
        for (Submission submission : former) {
            inFlight.remove(submission.number());
            submission
                    .outcome()
                    .completeExceptionally(new NoLeaderException(
                            "JdbcCommandLog: this server leads no more, and another one has begun; the command was not applied."
                                    + " Submit it again",
                            null));
        }
    }

    /** Lets the thread end after its present transaction. */
    synchronized void stop() {
        closing = true;
        notifyAll();
    }

    /** Lets the thread end after its present transaction, and waits for that. */
    void close(Duration limit) {
        stop();
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() {
        List<CompletableFuture<Head>> left;
        synchronized (this) {
            closing = true;
            left = takeReads();
        }
        left.forEach(read -> read.cancel(false));
        writer.close();
    }
}
