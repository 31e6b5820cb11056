package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.StoredSnapshot;
import io.csi4j.replication.jdbc.internal.state.Capture;
import io.csi4j.replication.jdbc.internal.state.SnapshotWriter;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Writes snapshots one after another, on a thread of its own. Thread-safe. */
final class Snapshots {
    private static final System.Logger LOG = System.getLogger(Snapshots.class.getName());

    private final SnapshotWriter writer;
    private final long interval;
    private final Supplier<CompletableFuture<Capture>> capture;
    private final ExecutorService writing = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "csi4j-log-snapshot");
        thread.setDaemon(true);
        return thread;
    });

    private volatile long latest;

    /** The index from which the next snapshot counts: that of the latest one, also if it is being written or has failed. */
    private volatile long begun;

    private final AtomicInteger unwritten = new AtomicInteger();

    Snapshots(
            Database database,
            LogTables tables,
            StateStore store,
            long interval,
            Supplier<CompletableFuture<Capture>> capture) {
        this.writer = new SnapshotWriter(database, tables, store, interval);
        this.interval = interval;
        this.capture = capture;
    }

    /** Begins with the latest snapshot of the database. */
    void startFrom(Optional<StoredSnapshot> found) {
        latest = found.map(StoredSnapshot::index).orElse(0L);
        begun = latest;
    }

    /** Returns the index of the latest snapshot that this server knows. */
    long latest() {
        return latest;
    }

    /** One at a time: while a snapshot is being written, no further one is due. */
    boolean due(long index) {
        return index - begun >= interval && unwritten.get() == 0;
    }

    /** Writes a snapshot in the background. */
    void begin(Capture captured) {
        var unused = write(captured);
    }

    /** Writes a snapshot of the present state. */
    CompletableFuture<Long> take() {
        return capture.get().thenCompose(this::write);
    }

    private CompletableFuture<Long> write(Capture captured) {
        begun = captured.index();
        if (captured.index() == 0) {
            return CompletableFuture.completedFuture(0L);
        }
        unwritten.incrementAndGet();
        try {
            return CompletableFuture.supplyAsync(() -> writeNow(captured), writing)
                    .whenComplete((written, failure) -> unwritten.decrementAndGet())
                    .thenApply(this::latest);
        } catch (RejectedExecutionException closed) {
            return CompletableFuture.failedFuture(new LogClosedException("JdbcCommandLog"));
        }
    }

    /** Called when the next snapshot can be due, so that a reader of the latest one can rely on this. */
    private long latest(long written) {
        latest = written;
        return written;
    }

    private long writeNow(Capture captured) {
        try {
            return writer.write(captured);
        } catch (SQLException | IOException | RuntimeException failed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The snapshot of the log at index " + captured.index() + " was not written: " + failed.getMessage()
                            + ". The log keeps its entries until one is");
            throw new CompletionException(new CsiException(
                    "the snapshot of the log at index " + captured.index() + " was not written: " + failed.getMessage()
                            + "; cure the cause, and write it again",
                    failed));
        }
    }

    /** Lets the thread end after the snapshot that is being written. */
    void close(Duration limit) {
        writing.shutdown();
        try {
            boolean unused = writing.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
