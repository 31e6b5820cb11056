package io.csi4j.benchmarks.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A program that inserts rows of one size, and commits them in batches: as little as a log in a database can do. */
final class BareRows {
    private final DataSource pool;
    private final byte[] content;
    private long next;

    BareRows(DataSource pool, int bytes) throws SQLException {
        this.pool = pool;
        this.content = new byte[bytes];
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS bare (idx bigint PRIMARY KEY, content bytea NOT NULL)");
            statement.execute("TRUNCATE bare");
        }
    }

    /** Inserts a batch in one transaction. */
    void insert(int rows) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO bare (idx, content) VALUES (?, ?)")) {
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
