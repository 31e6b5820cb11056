package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.command.Command;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.jdbc.internal.db.Head;
import io.csi4j.replication.jdbc.internal.db.SubmissionTable;
import io.csi4j.replication.jdbc.internal.submit.Recordable;
import io.csi4j.replication.jdbc.internal.submit.Submitter;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Records commands in transactions of the host, and waits until the leader has moved them to the log. Thread-safe. */
public final class HostCommands {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

    private final LogSettings settings;
    private final Environment environment;
    private final SubmissionTable table;
    private final CommandCodec codec;
    private final StateStore store;
    private final Supplier<CompletableFuture<Head>> read;
    private final Runnable move;

    /**
     * Creates an object that has recorded nothing.
     *
     * @param read reads the head of the log after all entries were applied that are committed
     * @param move lets this server move recorded commands soon, if it leads
     */
    HostCommands(
            LogSettings settings,
            Environment environment,
            SubmissionTable table,
            CommandCodec codec,
            StateStore store,
            Supplier<CompletableFuture<Head>> read,
            Runnable move) {
        this.settings = settings;
        this.environment = environment;
        this.table = table;
        this.codec = codec;
        this.store = store;
        this.read = read;
        this.move = move;
    }

    /**
     * Checks that commands can be recorded in a transaction of the host.
     *
     * @param identity the database that the leader has found; empty if no leader is known
     * @throws IllegalArgumentException if the connection cannot record commands of this log
     */
    void check(Connection connection, String identity) throws SQLException {
        Optional<String> problem = table.unusable(connection, settings.cluster, identity);
        if (problem.isPresent()) {
            throw new IllegalArgumentException("JdbcTransaction: the connection " + problem.get());
        }
    }

    /** Records a command in a transaction of the host. */
    public void record(Connection connection, Command command) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "JdbcTransaction: the connection is in auto-commit mode now; record commands"
                            + " before the transaction ends");
        }
        String subject = Recordable.subject(command)
                .orElseThrow(() -> new IllegalArgumentException(
                        command.getClass().getSimpleName() + " cannot be recorded in a transaction of the host"));
        byte[] content = codec.encodeCommand(command);
        Submitter.checkSize(command, content.length);
        table.record(connection, subject, content);
    }

    /** Returns the present time, for commands. */
    public Instant now() {
        return environment.clock().instant();
    }

    /** Returns the state of this server, which may be older than what earlier transactions have recorded. */
    public StateReader state() {
        return store.snapshot();
    }

    /** Completes as soon as this server has applied all commands that were recorded by transactions committed before. */
    CompletableFuture<Void> moved() {
        CompletableFuture<Void> moved = new CompletableFuture<>();
        awaitMoved(moved, OptionalLong.empty(), FIRST_PAUSE, environment.timer().nanoTime());
        return moved;
    }

    /** Reads the head again and again until no command is left whose id is not above the highest one of the first reading. */
    private void awaitMoved(CompletableFuture<Void> moved, OptionalLong last, Duration pause, long begunAt) {
        var unused = read.get().whenComplete((now, failure) -> {
            if (failure != null) {
                moved.completeExceptionally(failure);
                return;
            }
            long limit = last.orElse(now.lastRecorded());
            if (now.firstRecorded() == 0 || now.firstRecorded() > limit) {
                moved.complete(null);
            } else if (environment.timer().nanoTime() - begunAt
                    >= settings.options.submitTimeout().toNanos()) {
                moved.completeExceptionally(unmoved(now.firstRecorded()));
            } else {
                move.run();
                Duration longer = pause.compareTo(settings.options.period()) < 0 ? pause.multipliedBy(2) : pause;
                try {
                    var unusedToo = environment
                            .timer()
                            .schedule(pause, () -> awaitMoved(moved, OptionalLong.of(limit), longer, begunAt));
                } catch (RejectedExecutionException closed) {
                    moved.completeExceptionally(new LogClosedException("JdbcCommandLog"));
                }
            }
        });
    }

    private RuntimeException unmoved(long first) {
        return new UnansweredCommandException(
                "JdbcCommandLog: no leader has moved the command with id " + first + " of " + table.name()
                        + " to the log within " + Durations.text(settings.options.submitTimeout())
                        + ". If a server leads, its log says why; read again later",
                null);
    }
}
