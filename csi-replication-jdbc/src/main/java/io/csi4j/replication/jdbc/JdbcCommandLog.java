package io.csi4j.replication.jdbc;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.jdbc.internal.LogProcess;
import io.csi4j.state.StateStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A command log in a database that the host has already: PostgreSQL for one or more servers, or H2 in the process of one
 * server. A command becomes visible, and its submitter gets the outcome, only after the database has committed it. Thread-safe.
 *
 * <p>Commands may be submitted at every server. A server writes its commands in transactions of its own, many in one, and
 * applies the entries of all servers in one order to its own {@link #state}, which it closes with the log. Which server
 * leads is a row in the same database.
 */
public final class JdbcCommandLog implements ReplicatedLog {
    private final LogProcess process;

    JdbcCommandLog(LogProcess process) {
        this.process = process;
    }

    /**
     * Returns a builder.
     *
     * @param pool connections to the database, from the host's pool; a server uses two at a time, and a third while it
     *     writes a snapshot
     */
    public static JdbcCommandLogBuilder builder(DataSource pool) {
        return new JdbcCommandLogBuilder(Objects.requireNonNull(pool, "pool"));
    }

    /**
     * Submits a command, at any server. If this server leads, the database refuses the command when another server has
     * begun to lead in between.
     *
     * @return completes with the outcome after this server has applied the command. Fails with a {@link
     *     LogOverloadedException} if too many commands wait, with a {@link NoLeaderException} if the command was not applied
     *     because the database could not be reached or this server leads no more, with an {@link
     *     UnansweredCommandException} if the outcome is unknown after {@link JdbcLogOptions#submitTimeout()}, with a
     *     {@link LogFailedException} if this server has stopped, with a {@link LogClosedException} after {@link #close},
     *     with a {@link io.csi4j.core.spi.CommandTooLargeException} if the command has more than 4 MB, and with another
     *     {@link io.csi4j.core.call.CsiException} if the command cannot be encoded
     */
    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return process.submit(Objects.requireNonNull(command, "command"));
    }

    /**
     * Records commands in a transaction of the host. Does not block on other servers, and needs no leader.
     *
     * @param connection a connection to the database and schema of this log, in a transaction that may write. It stays
     *     the host's, which commits or rolls back
     * @return valid until the transaction ends
     * @throws IllegalArgumentException if the connection is in auto-commit mode, in a read-only transaction, or leads to
     *     another database or schema; the message has the remedy
     * @throws SQLException if the connection cannot be used
     * @throws LogFailedException if this server has stopped
     * @throws LogClosedException after {@link #close}
     */
    public JdbcTransaction in(Connection connection) throws SQLException {
        return new JdbcTransaction(process.host(Objects.requireNonNull(connection, "connection")), connection);
    }

    /**
     * Returns the state as soon as this server has applied all commands of {@linkplain #in transactions of the host} that were
     * committed before the call. A command whose effect the state does not show then was rejected.
     *
     * @return fails with an {@link UnansweredCommandException} if they are not applied within {@link
     *     JdbcLogOptions#submitTimeout()}, for example because no server leads
     */
    public CompletableFuture<StateReader> readRecorded() {
        return process.readRecorded();
    }

    /** Returns the state of this server, which may be behind that of the leader. */
    @Override
    public StateStore state() {
        return process.store();
    }

    @Override
    public CompletableFuture<StateReader> readLinearizable() {
        return process.readLinearizable();
    }

    @Override
    public LogStatus status() {
        return process.status();
    }

    @Override
    public boolean mayAct() {
        return process.mayAct();
    }

    @Override
    public Runnable onLeadership(LeadershipListener listener) {
        return process.onLeadership(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public Runnable onCommit(Consumer<LogCommit> listener) {
        return process.onCommit(Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public CompletableFuture<Long> takeSnapshot() {
        return process.takeSnapshot();
    }

    @Override
    public CompletableFuture<LogFailedException> failed() {
        return process.failed();
    }

    @Override
    public void close() {
        process.close();
    }
}
