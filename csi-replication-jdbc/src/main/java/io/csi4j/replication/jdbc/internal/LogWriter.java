package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.Timer;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * Appends entries for the log thread, and measures it. While the database writes, the log thread can do something else; then
 * a thread of the writer waits for the database, which starts with the first such append.
 */
final class LogWriter {
    private final Database database;
    private final LogTables tables;
    private final long origin;
    private final Timer timer;
    private final Consumer<LogCommit> appended;
    private final ExecutorService writing = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "csi4j-log-write");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Creates a writer.
     *
     * @param origin the random number of this process
     * @param timer measures the appends
     * @param appended hears of each append that has ended
     */
    LogWriter(Database database, LogTables tables, long origin, Timer timer, Consumer<LogCommit> appended) {
        this.database = database;
        this.tables = tables;
        this.origin = origin;
        this.timer = timer;
        this.appended = appended;
    }

    /**
     * Entries that follow each other.
     *
     * @param entries at least one, without gaps
     * @param before the chain before the first entry
     * @param term the leadership to which at least one of the entries is bound; 0: none
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Batch(List<Entry> entries, byte[] before, long term) {
        Entry last() {
            return entries.get(entries.size() - 1);
        }
    }

    /** Appends entries, and returns whether the log ended where they begin. */
    boolean append(Batch batch) throws SQLException {
        long begun = timer.nanoTime();
        LogCommit.Result result = LogCommit.Result.FAILED;
        try {
            boolean done = tables.append(database, batch.entries, batch.before, batch.term, origin);
            result = done ? LogCommit.Result.COMMITTED : LogCommit.Result.OVERTAKEN;
            return done;
        } catch (SQLException failure) {
            result = DatabaseTrouble.conflict(failure) ? LogCommit.Result.OVERTAKEN : LogCommit.Result.FAILED;
            throw failure;
        } finally {
            appended.accept(new LogCommit(result, batch.entries.size(), Duration.ofNanos(timer.nanoTime() - begun)));
        }
    }

    /** Appends entries, and runs something else at the same time. Both have ended when this method returns or throws. */
    boolean append(Batch batch, Runnable meanwhile) throws SQLException {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        writing.execute(() -> {
            try {
                done.complete(append(batch));
            } catch (SQLException | RuntimeException | Error failure) {
                done.completeExceptionally(failure);
            }
        });
        try {
            meanwhile.run();
        } finally {
            boolean unused = done.handle((result, failure) -> true).join();
        }
        try {
            return done.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** Lets the thread end; no append follows. */
    void close() {
        writing.shutdown();
    }
}
