package io.csi4j.replication.jdbc.internal.db;

import io.csi4j.replication.jdbc.internal.schema.Dialect;
import io.csi4j.replication.jdbc.internal.schema.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The statements that record commands in transactions of the host, and read them. The append of {@link LogTables} takes
 * them away. Thread-safe.
 */
public final class SubmissionTable {
    /** The content of a notification that commands were recorded; others have the number of a process. */
    public static final String RECORDED = "recorded";

    private final TableNames names;
    private final Dialect dialect;
    private final int seconds;

    /**
     * Creates the statements.
     *
     * @param names the names of the tables
     * @param dialect the kind of database
     * @param timeout the longest time of a statement
     */
    public SubmissionTable(TableNames names, Dialect dialect, Duration timeout) {
        this.names = names;
        this.dialect = dialect;
        this.seconds = Math.toIntExact(Math.max(1, timeout.plusMillis(999).toSeconds()));
    }

    /** Returns the name of the table, for use in SQL. */
    public String name() {
        return names.submission();
    }

    /**
     * Checks that a connection of the host leads to the log.
     *
     * @param cluster the name of the cluster of the log
     * @param identity the database that the leader has found; empty if no leader is known
     * @return the reason why the connection cannot record commands, with its remedy; empty if it can
     */
    public Optional<String> unusable(Connection connection, String cluster, String identity) throws SQLException {
        if (connection.getAutoCommit()) {
            return Optional.of("is in auto-commit mode, so each statement would be a transaction of its own;"
                    + " call setAutoCommit(false) first");
        }
        try (PreparedStatement select = prepare(
                        connection,
                        "SELECT cluster, identity, " + dialect.readOnlyTransaction() + " FROM " + names.head());
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                return Optional.of(elsewhere("the table " + names.head() + " has no row there"));
            }
            if (row.getBoolean(3) || connection.isReadOnly()) {
                return Optional.of("is in a read-only transaction; begin one that may write, on the primary server");
            }
            String found = row.getString(2);
            if (!row.getString(1).equals(cluster)) {
                return Optional.of(elsewhere("its tables belong to the cluster '" + row.getString(1) + "'"));
            }
            // The identity is empty until the first leader has found it.
            return found.equals(identity) || found.isEmpty() || identity.isEmpty()
                    ? Optional.empty()
                    : Optional.of(elsewhere("the log is in {" + identity + "}, and the connection in {" + found + "}"));
        } catch (SQLException e) {
            if (dialect.noTable(e)) {
                return Optional.of(elsewhere("there is no table " + names.head()));
            }
            throw e;
        }
    }

    private static String elsewhere(String reason) {
        return "leads to another database or schema than the log's: " + reason
                + ". Take it from a DataSource for the same database and search path as the log's, or set schema in the"
                + " builder of the log; if the database has just failed over, begin the transaction again";
    }

    /** Records a command in a transaction of the host. */
    public void record(Connection connection, String subject, byte[] content) throws SQLException {
        String insert = "INSERT INTO " + names.submission()
                + " (subject, recorded_at, content) VALUES (?, CURRENT_TIMESTAMP, ?)";
        try (PreparedStatement record = prepare(
                connection,
                dialect.announces() ? "WITH recorded AS (" + insert + ") SELECT pg_notify(?, ?)" : insert)) {
            record.setString(1, subject);
            record.setBytes(2, content);
            if (dialect.announces()) {
                record.setString(3, names.channel());
                record.setString(4, RECORDED);
            }
            boolean unused = record.execute();
        }
    }

    /**
     * Returns the recorded commands that committed transactions have left, in the order of their ids.
     *
     * @param most the largest number
     * @param bytes the size after which no more follow
     */
    public List<Recorded> recorded(Connection connection, int most, int bytes) throws SQLException {
        try (PreparedStatement select = prepare(
                connection,
                "SELECT id, subject, content FROM (SELECT id, subject, content,"
                        + " SUM(OCTET_LENGTH(content)) OVER (ORDER BY id) - OCTET_LENGTH(content) AS before"
                        + " FROM (SELECT id, subject, content FROM " + names.submission()
                        + " ORDER BY id LIMIT ?) AS first_rows) AS sized WHERE before < ? ORDER BY id")) {
            select.setInt(1, most);
            select.setInt(2, bytes);
            try (ResultSet row = select.executeQuery()) {
                List<Recorded> recorded = new ArrayList<>();
                while (row.next()) {
                    recorded.add(new Recorded(row.getLong(1), row.getString(2), row.getBytes(3)));
                }
                return recorded;
            }
        }
    }

    /** Returns how many recorded commands wait, and since when, in words for an operator. */
    public String backlog(Connection connection) throws SQLException {
        try (PreparedStatement select =
                        prepare(connection, "SELECT COUNT(*), MIN(recorded_at) FROM " + names.submission());
                ResultSet row = select.executeQuery()) {
            return row.next() ? row.getLong(1) + " wait, the oldest since " + row.getString(2) : "none waits";
        }
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(seconds);
        return statement;
    }
}
