package io.csi4j.replication.jdbc;

import io.csi4j.core.spi.CommandLog;
import io.csi4j.testkit.contract.DurableLogContract;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.io.TempDir;

/** A log in a file of H2 keeps the contract. */
class H2LogContractTest implements DurableLogContract {
    @TempDir
    Path directory;

    private JdbcConnectionPool pool() {
        return JdbcConnectionPool.create("jdbc:h2:file:" + directory.resolve("log") + ";WRITE_DELAY=0", "csi4j", "");
    }

    @Override
    public CommandLog open() throws IOException {
        return Logs.builder(pool(), "alone").start();
    }

    @Override
    public void close(CommandLog log) {
        ((JdbcCommandLog) log).close();
    }

    /** The database ends without writing anything more, and the log does not know. */
    @Override
    public CommandLog crashed(CommandLog log) throws IOException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SHUTDOWN IMMEDIATELY");
        } catch (SQLException e) {
            // The statement ends its own connection.
            if (!e.getSQLState().equals("90121") && !e.getSQLState().equals("90098")) {
                throw new IOException(e);
            }
        }
        CommandLog successor = open();
        close(log);
        return successor;
    }
}
