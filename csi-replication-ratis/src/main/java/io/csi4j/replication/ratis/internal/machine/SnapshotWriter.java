package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.replication.ratis.internal.machine.SnapshotContent.Capture;
import io.csi4j.replication.ratis.internal.peer.Snapshots;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.MD5FileUtil;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/** Writes snapshots, one at a time, on the thread {@code csi4j-log-snapshot}; the log continues meanwhile. */
final class SnapshotWriter {
    private static final System.Logger LOG = System.getLogger(SnapshotWriter.class.getName());
    /** The number of requests of Ratis to skip after a failure, because Ratis asks often and a disk may stay full. */
    private static final int CALLS_AFTER_FAILURE = 1_000;

    private static final String UNFINISHED = "csi4j-snapshot-";

    private final StateStore store;
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final ExecutorService writing;
    private @Nullable Path besideDirectory;

    // The monitor of this object guards the fields below.
    private @Nullable CompletableFuture<Long> running;
    private long reported = RaftLog.INVALID_LOG_INDEX;
    private int callsToSkip;
    private long failures;
    private @Nullable Failure lasting;

    /** The reason why the last snapshot was not written, and the time of the first such failure in a row. */
    private record Failure(String message, Timestamp since) {}

    SnapshotWriter(StateStore store) {
        this.store = store;
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "csi4j-log-snapshot");
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        this.writing = one;
    }

    SimpleStateMachineStorage storage() {
        return storage;
    }

    void open(RaftStorage raft) throws IOException {
        storage.init(raft);
        Path directory = raft.getStorageDir().getTmpDir().toPath();
        Files.createDirectories(directory);
        try (DirectoryStream<Path> unfinished = Files.newDirectoryStream(directory, UNFINISHED + "*")) {
            for (Path file : unfinished) {
                Files.delete(file);
            }
        }
        besideDirectory = directory;
    }

    /** Restores the latest snapshot; empty: there is none. */
    Optional<SnapshotContent> restoreLatest() throws IOException {
        SingleFileSnapshotInfo latest = storage.loadLatestSnapshot();
        if (latest == null) {
            return Optional.empty();
        }
        synchronized (this) {
            reported = latest.getIndex();
        }
        return Optional.of(SnapshotFile.read(store, latest.getFile().getPath()));
    }

    /**
     * Makes the file of an installed snapshot durable. The leader has sent this snapshot, and Ratis has moved the file
     * into place.
     */
    void syncInstalled() throws IOException {
        SingleFileSnapshotInfo latest = storage.loadLatestSnapshot();
        if (latest != null) {
            SnapshotFile.sync(latest.getFile().getPath());
        }
    }

    /**
     * Returns the index of the last durable snapshot. If Ratis already knows this index and no snapshot is being
     * written, begins another snapshot.
     */
    synchronized long next(Supplier<Capture> capture) {
        long durable = durable();
        if (callsToSkip > 0) {
            callsToSkip--;
        } else if (durable == reported && (running == null || running.isDone())) {
            var unused = write(capture);
        }
        reported = durable;
        return durable;
    }

    /** Returns the index of the last durable snapshot. */
    long durable() {
        SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        return latest == null ? RaftLog.INVALID_LOG_INDEX : latest.getIndex();
    }

    /**
     * Writes a snapshot after any snapshot in progress. The future completes with the index of the last entry in the
     * snapshot.
     */
    synchronized CompletableFuture<Long> write(Supplier<Capture> capture) {
        CompletableFuture<Long> done = CompletableFuture.supplyAsync(() -> writeNow(capture.get()), writing);
        running = done;
        return done;
    }

    private long writeNow(Capture capture) {
        TermIndex position = capture.content().position();
        if (position.getIndex() < RaftLog.LEAST_VALID_LOG_INDEX) {
            return 0;
        }
        Path target =
                storage.getSnapshotFile(position.getTerm(), position.getIndex()).toPath();
        Path beside = Objects.requireNonNull(besideDirectory, "open").resolve(UNFINISHED + position.getIndex());
        try {
            if (!Files.exists(target)) {
                SnapshotFile.write(store, capture, beside, target);
            }
            FileInfo file = new FileInfo(target, MD5FileUtil.readStoredMd5ForFile(target.toFile()));
            storage.updateLatestSnapshot(new SingleFileSnapshotInfo(file, position));
            synchronized (this) {
                lasting = null;
            }
            return position.getIndex();
        } catch (IOException | CsiException failed) {
            synchronized (this) {
                callsToSkip = CALLS_AFTER_FAILURE;
                failures++;
                lasting = new Failure(
                        "the snapshot " + target + " was not written: " + failed.getMessage(),
                        lasting == null ? Timestamp.currentTime() : lasting.since());
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The snapshot " + target + " was not written: " + failed.getMessage()
                            + ". The log keeps its entries until one is; check space and permissions");
            throw new CompletionException(new CsiException(
                    "the snapshot " + target + " was not written: " + failed.getMessage()
                            + "; check space and permissions, and write it again",
                    failed));
        }
    }

    /** Returns the latest snapshot, and the reason why no later one was written. */
    synchronized Snapshots status() {
        SingleFileSnapshotInfo latest = storage.getLatestSnapshot();
        return new Snapshots(
                Optional.ofNullable(latest).map(SnapshotWriter::describe),
                Optional.ofNullable(lasting)
                        .map(failure -> new LogDetails.Trouble(
                                failure.message(),
                                "Check the space and the permissions of the disk, and then write a snapshot (csi log"
                                        + " snapshot). The log keeps its entries until one is written; a full disk stops"
                                        + " the server.",
                                Duration.ofMillis(failure.since().elapsedTimeMs()))),
                failures);
    }

    private static LogDetails.Snapshot describe(SingleFileSnapshotInfo snapshot) {
        return new LogDetails.Snapshot(
                snapshot.getIndex(),
                snapshot.getFiles().stream().mapToLong(FileInfo::getFileSize).sum(),
                Optional.empty());
    }

    /** Stops the writing thread after the snapshot that is being written. */
    void close() {
        writing.shutdown();
    }
}
