package io.csi4j.replication.jdbc.internal.db;

import io.csi4j.replication.jdbc.internal.schema.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Runs transactions on connections of the host's pool. A connection waits for an answer for a limited time, and goes back
 * to the pool as it came. Thread-safe.
 */
public final class Database {
    private final DataSource pool;
    private final Dialect dialect;
    private final Duration timeout;

    /**
     * Creates an object that uses no connection yet.
     *
     * @param pool gives the connections
     * @param dialect the kind of database
     * @param timeout the longest wait for an answer to one statement
     */
    public Database(DataSource pool, Dialect dialect, Duration timeout) {
        this.pool = pool;
        this.dialect = dialect;
        this.timeout = timeout;
    }

    /** The statements of a transaction. */
    @FunctionalInterface
    public interface Work<T> {
        /** Runs the statements; neither commits nor rolls back. */
        T run(Connection connection) throws SQLException;
    }

    /** Returns the longest wait for an answer to one statement. */
    public Duration timeout() {
        return timeout;
    }

    /**
     * Runs a transaction with the isolation READ COMMITTED. The database ends it if this process stands still in it.
     *
     * @return the result of the work, after the commit
     * @throws SQLException if the transaction was not committed, or its end is unknown because the connection broke
     *     during the commit
     */
    public <T> T transaction(Work<T> work) throws SQLException {
        return run(Connection.TRANSACTION_READ_COMMITTED, connection -> {
            dialect.limitSilence(connection, timeout);
            return work.run(connection);
        });
    }

    /**
     * Runs a transaction that only reads, and whose statements all see the database at one moment.
     *
     * @return the result of the work
     */
    public <T> T snapshot(Work<T> work) throws SQLException {
        return run(Connection.TRANSACTION_REPEATABLE_READ, work);
    }

    private <T> T run(int isolation, Work<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Settings before = Settings.of(connection);
            // The statement has a limit of its own, which ends it in order; the connection is given up later.
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(timeout.toMillis() * 2));
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(false);
            T result;
            try {
                result = work.run(connection);
                connection.commit();
            } catch (SQLException | RuntimeException | Error failure) {
                ended(failure, connection, Connection::rollback);
                ended(failure, connection, before::restore);
                throw failure;
            }
            before.restore(connection);
            return result;
        }
    }

    private interface Ending {
        void end(Connection connection) throws SQLException;
    }

    private static void ended(Throwable failure, Connection connection, Ending ending) {
        try {
            ending.end(connection);
        } catch (SQLException broken) {
            failure.addSuppressed(broken);
        }
    }

    /** The settings of a connection in the pool. */
    private record Settings(boolean autoCommit, int isolation, int networkTimeout) {
        static Settings of(Connection connection) throws SQLException {
            return new Settings(
                    connection.getAutoCommit(), connection.getTransactionIsolation(), connection.getNetworkTimeout());
        }

        void restore(Connection connection) throws SQLException {
            connection.setAutoCommit(autoCommit);
            connection.setTransactionIsolation(isolation);
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
    }
}
