package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.Timer;
import io.csi4j.replication.jdbc.internal.db.SubmissionTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
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

    private final DataSource pool;
    private final String channel;
    private final String own;
    private final Timer timer;
    private final Runnable changed;
    private final Runnable recorded;
    private final Thread thread = new Thread(this::run, "csi4j-log-listen");

    // The monitor of this object guards the fields below.
    private boolean resting;
    private boolean closing;

    PostgresNotifications(
            DataSource pool, String channel, String own, Timer timer, Runnable changed, Runnable recorded) {
        this.pool = pool;
        this.channel = channel;
        this.own = own;
        this.timer = timer;
        this.changed = changed;
        this.recorded = recorded;
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
            } catch (SQLException failure) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "Changes of the log are not heard now, and are found by looking: " + failure.getMessage());
                rest();
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
        recorded.run();
        PGConnection postgres = connection.unwrap(PGConnection.class);
        while (!closing()) {
            PGNotification[] heard = postgres.getNotifications(WAIT_MILLIS);
            if (heard != null) {
                hear(Arrays.stream(heard).map(PGNotification::getParameter).collect(Collectors.toSet()));
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("UNLISTEN *");
        }
    }

    private void hear(Set<String> news) {
        if (news.contains(SubmissionTable.RECORDED)) {
            recorded.run();
        }
        if (news.stream().anyMatch(one -> !one.equals(own) && !one.equals(SubmissionTable.RECORDED))) {
            changed.run();
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

    private synchronized void rest() {
        resting = true;
        try {
            var unused = timer.schedule(PAUSE, this::rested);
        } catch (RejectedExecutionException closed) {
            closing = true;
        }
    }

    private synchronized void rested() {
        resting = false;
        notifyAll();
    }

    private synchronized boolean closing() {
        return closing;
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
