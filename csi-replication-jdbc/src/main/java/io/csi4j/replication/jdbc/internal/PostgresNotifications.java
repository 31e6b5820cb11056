package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.Timer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears from PostgreSQL that the log has changed, on a thread and a connection of its own. Without it, for example behind a
 * pooler that gives each transaction another connection, the servers learn of changes when they look.
 */
final class PostgresNotifications {
    private static final System.Logger LOG = System.getLogger(PostgresNotifications.class.getName());
    private static final int WAIT_MILLIS = 200;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration PAUSE_OF_SMALL_POOL = Duration.ofMinutes(1);

    private final DataSource pool;
    private final String channel;
    private final Timer timer;
    private final Runnable changed;
    private final Thread thread = new Thread(this::run, "csi4j-log-listen");

    // The monitor of this object guards the fields below.
    private boolean resting;
    private boolean yielding;
    private boolean closing;

    PostgresNotifications(DataSource pool, String channel, Timer timer, Runnable changed) {
        this.pool = pool;
        this.channel = channel;
        this.timer = timer;
        this.changed = changed;
        thread.setDaemon(true);
    }

    /** Returns whether the driver of the program can hear notifications. */
    static boolean possible(Connection connection) throws SQLException {
        try {
            return connection.isWrapperFor(PGConnection.class);
        } catch (NoClassDefFoundError otherDriver) {
            return false;
        }
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (awaitTurn()) {
            try (Connection connection = pool.getConnection()) {
                listen(connection);
                rest(PAUSE_OF_SMALL_POOL);
            } catch (SQLException failure) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "Changes of the log are not heard now, and are found by looking: " + failure.getMessage());
                rest(PAUSE);
            }
        }
    }

    private void listen(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + channel);
        }
        // Changes since the last connection were not heard.
        changed.run();
        PGConnection postgres = connection.unwrap(PGConnection.class);
        while (!ending()) {
            PGNotification[] heard = postgres.getNotifications(WAIT_MILLIS);
            if (heard != null && heard.length > 0) {
                changed.run();
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("UNLISTEN *");
        }
    }

    private synchronized boolean awaitTurn() {
        while (resting && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                closing = true;
            }
        }
        return !closing;
    }

    /** Gives the connection back for a while, because the pool has none for the log or the lease. */
    synchronized void yieldConnection() {
        yielding = true;
    }

    private synchronized void rest(Duration pause) {
        resting = true;
        yielding = false;
        try {
            var unused = timer.schedule(pause, this::rested);
        } catch (RejectedExecutionException closed) {
            closing = true;
        }
    }

    private synchronized void rested() {
        resting = false;
        notifyAll();
    }

    private synchronized boolean ending() {
        return closing || yielding;
    }

    void close(Duration limit) {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
