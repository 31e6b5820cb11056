package io.csi4j.replication.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The words for a failure of the database. */
class DatabaseTroubleTest {
    /** A pool by itself says only that it has waited. */
    @Test
    void databaseThatRefusesConnectionsOfPoolIsNamed() throws IOException {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setServerNames(new String[] {"127.0.0.1"});
        database.setPortNumbers(new int[] {closedPort()});
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(1_000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            SQLException failure = failureOf(pool);

            assertThat(DatabaseTrouble.reason(failure))
                    .startsWith(failure.getMessage() + ": Connection to 127.0.0.1:" + database.getPortNumbers()[0]
                            + " refused");
        }
    }

    @Test
    void messageOfDatabaseHasNoPeriodBeforeThatOfSentence() {
        assertThat(DatabaseTrouble.reason(new SQLException("This connection has been closed.")))
                .isEqualTo("This connection has been closed");
    }

    private static int closedPort() throws IOException {
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return port.getLocalPort();
        }
    }

    private static SQLException failureOf(HikariDataSource pool) {
        try {
            pool.getConnection().close();
        } catch (SQLException failure) {
            return failure;
        }
        throw new AssertionError("the pool gave a connection");
    }
}
