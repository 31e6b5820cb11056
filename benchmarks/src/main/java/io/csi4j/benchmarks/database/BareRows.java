package io.csi4j.benchmarks.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A program that inserts rows of one size, and commits them in batches: as little as a log in a database can do. It has the
 * batches of JDBC, and one connection after another from the pool of the log.
 */
final class BareRows {
    /** Bytes that a row of the log has beside its index and the encoded command: three numbers, and a digest with its length. */
    private static final int OTHER_COLUMNS = 3 * Long.BYTES + 33;

    private static final String INSERT = "INSERT INTO bare (idx, content) VALUES (?, ?)";

    private final DataSource pool;
    private final byte[] content;
    private long next;

    /**
     * Creates an empty table.
     *
     * @param command the length of an encoded command
     */
    BareRows(DataSource pool, int command) throws SQLException {
        this.pool = pool;
        this.content = new byte[command + OTHER_COLUMNS];
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS bare (idx bigint PRIMARY KEY, content bytea NOT NULL)");
            statement.execute("TRUNCATE bare");
        }
    }

    /** Inserts a row, which is committed by its statement. */
    void insert() throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setLong(1, next++);
            insert.setBytes(2, content);
            int unused = insert.executeUpdate();
        }
    }

    /** Inserts a batch in one transaction. */
    void insert(int rows) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                for (int i = 0; i < rows; i++) {
                    insert.setLong(1, next++);
                    insert.setBytes(2, content);
                    insert.addBatch();
                }
                int[] unused = insert.executeBatch();
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }
}
