package io.csi4j.replication.jdbc.internal.db;

import io.csi4j.replication.jdbc.internal.schema.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Runs transactions on connections of the host's pool. A connection waits for an answer for a limited time, and goes back
 * to the pool as it came. Each isolation from READ COMMITTED on will do: a stricter one only lets an append fail that would
 * have changed no row. Thread-safe.
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
     * Runs a transaction. The database ends it if this process stands still in it.
     *
     * @return the result of the work, after the commit
     * @throws SQLException if the transaction was not committed, or its end is unknown because the connection broke
     *     during the commit
     */
    public <T> T transaction(Work<T> work) throws SQLException {
        return run(false, connection -> {
            dialect.limitSilence(connection, timeout);
            return work.run(connection);
        });
    }

    /**
     * Runs a transaction of one statement, which commits by itself: this saves a way to the database and back.
     *
     * @return the result of the statement, after the commit
     * @throws SQLException as {@link #transaction}
     */
    public <T> T statement(Work<T> work) throws SQLException {
        return run(true, work);
    }

    /**
     * Runs a transaction that only reads, and whose statements all see the database at one moment.
     *
     * @return the result of the work
     */
    public <T> T snapshot(Work<T> work) throws SQLException {
        return run(false, connection -> {
            dialect.readOneMoment(connection);
            return work.run(connection);
        });
    }

    private <T> T run(boolean alone, Work<T> work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            int networkTimeout = connection.getNetworkTimeout();
            // The statement has a limit of its own, which ends it in order; the connection is given up later.
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(timeout.toMillis() * 2));
            connection.setAutoCommit(alone);
            T result;
            try {
                result = work.run(connection);
                if (!alone) {
                    connection.commit();
                }
            } catch (SQLException | RuntimeException | Error failure) {
                if (!alone) {
                    ended(failure, connection, Connection::rollback);
                }
                ended(failure, connection, broken -> broken.setNetworkTimeout(Runnable::run, networkTimeout));
                ended(failure, connection, broken -> broken.setAutoCommit(autoCommit));
                throw failure;
            }
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
            connection.setAutoCommit(autoCommit);
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
}
