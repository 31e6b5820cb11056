package io.csi4j.replication.ratis.internal;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.DirectoryMark;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the log was put back from a copy. Its state may then be older than what the nodes have mounted, so the
 * first command of this process says that every node has to report its ledger. Before the state has that command, this
 * peer does not lead.
 */
final class RestoredLog {
    private static final System.Logger LOG = System.getLogger(RestoredLog.class.getName());
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration MARK_PERIOD = Duration.ofSeconds(10);

    private final DirectoryMark mark;
    private final Environment environment;
    private final LongSupplier applied;
    private final Consumer<LogFailedException> failed;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private long marked = -1;
    private boolean closed;
    private @Nullable Cancellable next;

    /**
     * Creates an object for a log that is not open yet.
     *
     * @param mark the mark of the data directory
     * @param applied returns the index of the last applied entry
     * @param failed gets the failure if the log vanishes while this peer runs
     */
    RestoredLog(
            DirectoryMark mark, Environment environment, LongSupplier applied, Consumer<LogFailedException> failed) {
        this.mark = mark;
        this.environment = environment;
        this.applied = applied;
        this.failed = failed;
    }

    /** Completes when the state is complete, or says that it may be old. */
    CompletableFuture<Void> settled() {
        return settled;
    }

    /**
     * Compares the open log with its mark, and submits the command if the log was put back.
     *
     * @param last the index of the last entry of the log
     */
    void opened(long last, Function<Command, CompletableFuture<Outcome>> log) {
        if (mark.restored(last)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The log was put back from a copy, or its mark is missing. Until each node has said what it has"
                            + " mounted, no volume is detached from it and none is newly claimed. Report the nodes that"
                            + " are fenced or gone, and all running allocations");
            submit(log);
        } else {
            done();
        }
    }

    private void submit(Function<Command, CompletableFuture<Outcome>> log) {
        Command command = new NodeCommand.RequireLedgers(
                "the log was put back from a copy", environment.clock().instant());
        var unused = Futures.start(() -> log.apply(command)).whenComplete((outcome, failure) -> {
            if (failure == null) {
                done();
            } else {
                later(RETRY, () -> submit(log));
            }
        });
    }

    private void done() {
        writeMark();
        settled.complete(null);
    }

    private synchronized void later(Duration delay, Runnable task) {
        if (!closed) {
            next = environment
                    .timer()
                    .schedule(delay, () -> environment.executor().execute(task));
        }
    }

    private void writeMark() {
        Optional<LogFailedException> vanished = mark.vanished(applied.getAsLong());
        if (vanished.isPresent()) {
            failed.accept(vanished.get());
            return;
        }
        synchronized (this) {
            if (closed) {
                return;
            }
            mark(applied.getAsLong());
        }
        later(MARK_PERIOD, this::writeMark);
    }

    private void mark(long index) {
        if (index == marked) {
            return;
        }
        try {
            mark.write(index);
            marked = index;
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The mark of the log cannot be written: " + e.getMessage()
                            + ". If the log is ever put back from a copy, the next start may not notice it");
        }
    }

    /** Writes the last mark, and ends the timer. */
    synchronized void close() {
        if (settled.isDone() && !closed && mark.vanished(applied.getAsLong()).isEmpty()) {
            mark(applied.getAsLong());
        }
        closed = true;
        if (next != null) {
            next.cancel();
        }
    }
}
