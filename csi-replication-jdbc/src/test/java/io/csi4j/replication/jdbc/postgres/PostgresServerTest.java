package io.csi4j.replication.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.postgres.Conditions;
import io.csi4j.postgres.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(60)
class PostgresServerTest {
    private static final String COUNT = "SELECT count(*) FROM rows";

    private static void fill(PostgresServer server) {
        server.execute("CREATE TABLE rows (id int PRIMARY KEY, content text)", "INSERT INTO rows VALUES (1, 'one')");
    }

    @Test
    void killedServerKeepsCommittedRowsAndItsPort() {
        try (PostgresServer server = PostgresServer.start()) {
            fill(server);
            int port = server.port();

            server.kill();
            assertThatThrownBy(() -> server.dataSource().getConnection()).isInstanceOf(SQLException.class);
            server.restart();

            assertThat(server.query(COUNT)).isEqualTo("1");
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.output()).contains("automatic recovery in progress");
        }
    }

    @Test
    void stoppedServerStartsWithChangedSetting() {
        try (PostgresServer server =
                PostgresServer.builder().setting("max_connections", "17").start()) {
            assertThat(server.query("SHOW max_connections")).isEqualTo("17");

            server.stop();
            server.set("max_connections", "18");
            server.restart();

            assertThat(server.query("SHOW max_connections")).isEqualTo("18");
            assertThat(server.output()).doesNotContain("automatic recovery in progress");
            assertThat(server.query("SHOW fsync")).isEqualTo("on");
        }
    }

    @Test
    void oldestServerStarts() {
        try (PostgresServer server = PostgresServer.builder().oldest().start()) {
            assertThat(server.query("SHOW server_version")).startsWith("13.");
        }
    }

    @Test
    void pausedServerAnswersAfterItResumes() throws Exception {
        try (PostgresServer server = PostgresServer.start();
                Connection connection = limited(server).getConnection();
                Statement statement = connection.createStatement()) {
            server.pause();
            CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return statement.execute("SELECT 1");
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);

            server.resume();

            assertThat(answer.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A connection that breaks itself if the server stays paused. */
    private static PGSimpleDataSource limited(PostgresServer server) {
        PGSimpleDataSource source = server.dataSource();
        source.setSocketTimeout(30);
        return source;
    }

    @Test
    void standbyFollowsAndIsServerOfItsOwnAfterPromotion() {
        try (PostgresServer server = PostgresServer.start();
                PostgresServer standby = server.standby()) {
            fill(server);
            Conditions.await("the replica has the table", () -> standby.query("SELECT to_regclass('rows')") != null);
            Conditions.await("the replica has the row", () -> "1".equals(standby.query(COUNT)));
            assertThat(standby.query("SHOW transaction_read_only")).isEqualTo("on");

            server.kill();
            standby.promote();
            standby.execute("INSERT INTO rows VALUES (2, 'two')");

            assertThat(standby.query(COUNT)).isEqualTo("2");
        }
    }

    @Test
    void restoredServerHasRowsOfBackupOnly() {
        try (PostgresServer server = PostgresServer.start()) {
            fill(server);
            Path backup = server.backup();
            server.execute("INSERT INTO rows VALUES (2, 'two')");

            server.restore(backup);
            assertThat(server.query(COUNT)).isEqualTo("1");
            assertThat(server.query("SELECT pg_walfile_name(pg_current_wal_lsn())"))
                    .startsWith("00000002");

            server.restoreFiles(backup);
            assertThat(server.query(COUNT)).isEqualTo("1");
            assertThat(server.query("SELECT pg_walfile_name(pg_current_wal_lsn())"))
                    .startsWith("00000001");
        }
    }

    @Test
    void fullDiskRefusesRowsAndKeepsCommittedOnes() {
        try (PostgresServer server = PostgresServer.builder().disk(56).start()) {
            fill(server);

            server.fillDisk();
            assertThatThrownBy(() -> server.execute(
                            "INSERT INTO rows SELECT id, repeat('x', 1000) FROM generate_series(2, 9000) AS id"))
                    .hasMessageContaining("No space left on device");
            server.freeDisk();
            server.stop();
            server.restart();

            assertThat(server.query(COUNT)).isEqualTo("1");
            server.execute("INSERT INTO rows VALUES (2, 'two')");
        }
    }

    @Test
    void closedServerLeavesNeitherProcessNorFiles() {
        PostgresServer server = PostgresServer.start();
        String data = server.query("SHOW data_directory");
        String process = server.query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'");
        server.close();

        assertThat(Path.of(data)).doesNotExist();
        assertThat(ProcessHandle.of(Long.parseLong(process))).isEmpty();
    }
}
