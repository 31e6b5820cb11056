package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;
import static io.csi4j.replication.jdbc.HostTransactions.commit;
import static io.csi4j.replication.jdbc.HostTransactions.has;
import static io.csi4j.replication.jdbc.HostTransactions.place;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands in transactions of the host, on H2. */
@Timeout(60)
class H2TransactionTest {
    @TempDir
    Path directory;

    private JdbcCommandLog log;
    private Connection host;

    @BeforeEach
    void start() throws Exception {
        host = DriverManager.getConnection(url(), "csi4j", "");
        HostTransactions.createTable(host);
        open();
    }

    @AfterEach
    void stop() throws SQLException {
        log.close();
        host.close();
    }

    private String url() {
        return "jdbc:h2:file:" + directory.resolve("log") + ";WRITE_DELAY=0";
    }

    private void open() throws Exception {
        log = Logs.builder(JdbcConnectionPool.create(url(), "csi4j", ""), "alone")
                .start();
        await("the server leads", () -> log.status().leading());
    }

    private List<String> values(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(), "csi4j", "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        }
    }

    @Test
    void commandsAreThereAfterCommitInTheirOrderAndNotAfterRollback() throws Exception {
        host.setAutoCommit(false);
        place(host, log.in(host), "given-up");
        host.rollback();
        List<String> ids = IntStream.range(0, 20).mapToObj(i -> "web-" + i).toList();
        commit(log, host, (connection, transaction) -> {
            for (String id : ids) {
                place(connection, transaction, id);
            }
        });
        await("all are applied", () -> has(log, "web-19"));

        assertThat(has(log, "given-up")).isFalse();
        assertThat(values("SELECT id FROM job")).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(values("SELECT number FROM csi4j_log WHERE origin = 0 ORDER BY idx"))
                .hasSize(20)
                .isEqualTo(values("SELECT number FROM csi4j_log WHERE origin = 0 ORDER BY number"));
        assertThat(values("SELECT id FROM csi4j_submission")).isEmpty();
    }

    @Test
    void commandsOfBeforeRestartAreThereOnce() throws Exception {
        commit(log, host, (connection, transaction) -> place(connection, transaction, "before"));
        await("it is applied", () -> has(log, "before"));
        commit(log, host, (connection, transaction) -> place(connection, transaction, "perhaps-later"));
        log.close();
        open();
        await("it is applied", () -> has(log, "perhaps-later"));
        assertThat(values("SELECT number FROM csi4j_log WHERE origin = 0")).hasSize(2);
        assertThat(has(log, "before")).isTrue();
    }

    @Test
    void unsuitableConnectionsAreRefused() throws Exception {
        host.setAutoCommit(true);
        assertThatThrownBy(() -> log.in(host)).hasMessageContaining("is in auto-commit mode");
        try (Connection elsewhere = DriverManager.getConnection("jdbc:h2:mem:", "csi4j", "")) {
            elsewhere.setAutoCommit(false);
            assertThatThrownBy(() -> log.in(elsewhere))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("there is no table csi4j_head");
        }
    }
}
