package io.csi4j.replication.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.csi4j.replication.jdbc.DatabaseUnusableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The tables in each database. */
@Timeout(60)
abstract class SchemaTest {
    private static final Schema SCHEMA = new Schema(TableNames.ofDefault(), "prod");

    /** Returns connections to a place without tables. */
    abstract DataSource dataSource();

    final Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    final Connection created() throws SQLException {
        Connection connection = connect();
        SCHEMA.create(connection);
        return connection;
    }

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    static List<String> problems(Schema schema, Connection connection) {
        return catchThrowableOfType(DatabaseUnusableException.class, () -> schema.check(connection))
                .problems();
    }

    private static List<String> problems(Connection connection) {
        return problems(SCHEMA, connection);
    }

    @Test
    void createdTablesHaveNoProblem() throws SQLException {
        try (Connection connection = created()) {
            SCHEMA.check(connection);

            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(Sql.rows(
                            connection, "SELECT cluster, format, last_index, first_index, identity FROM csi4j_head"))
                    .containsExactly(List.of("prod", "1", "0", "1", ""));
            assertThat(Sql.value(connection, "SELECT octet_length(chain) FROM csi4j_head"))
                    .isEqualTo("32");
            assertThat(Sql.rows(connection, "SELECT id, term, renewals FROM csi4j_lease"))
                    .containsExactly(List.of("1", "0", "0"));
        }
    }

    @Test
    void connectionThatCommitsOnlyWhenAskedStaysSo() throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            int isolation = connection.getTransactionIsolation();

            SCHEMA.create(connection);
            SCHEMA.check(connection);

            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
        }
        try (Connection connection = connect()) {
            SCHEMA.check(connection);
        }
    }

    @Test
    void scriptHasAllColumnsOfTablesAndNoOthers() throws SQLException {
        try (Connection connection = created()) {
            Dialect.of(connection).find(connection, TableNames.ofDefault()).forEach((table, found) -> {
                assertThat(found.columns().keySet())
                        .containsExactlyElementsOf(table.columns().keySet());
                assertThat(found.keys()).containsExactlyInAnyOrderElementsOf(table.keys());
            });
        }
    }

    @Test
    void secondCreationChangesNothing() throws SQLException {
        try (Connection connection = created()) {
            execute(connection, "UPDATE csi4j_head SET last_index = 7");

            SCHEMA.create(connection);

            assertThat(Sql.value(connection, "SELECT last_index FROM csi4j_head"))
                    .isEqualTo("7");
        }
    }

    @Test
    void serversThatStartAtOnceCreateTablesOnce() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        List<CompletableFuture<Void>> servers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            servers.add(CompletableFuture.runAsync(() -> {
                try (Connection connection = connect()) {
                    barrier.await(20, TimeUnit.SECONDS);
                    SCHEMA.create(connection);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
        }
        CompletableFuture.allOf(servers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);

        try (Connection connection = connect()) {
            SCHEMA.check(connection);
            assertThat(Sql.rows(connection, "SELECT id FROM csi4j_head")).hasSize(1);
        }
    }

    @Test
    void otherPrefixIsOtherLog() throws SQLException {
        Schema second = new Schema(TableNames.of(null, "b_"), "other");
        try (Connection connection = created()) {
            second.create(connection);

            second.check(connection);
            SCHEMA.check(connection);
        }
    }

    @Test
    void missingTablesAreNamed() throws SQLException {
        try (Connection connection = connect()) {
            assertThat(problems(connection))
                    .singleElement(STRING)
                    .contains("csi4j_head", "csi4j_snapshot_chunk", "Run the SQL file of csi4j");
        }
    }

    @Test
    void lostTableIsNeitherUsedNorCreatedAgain() throws SQLException {
        try (Connection connection = created()) {
            execute(connection, "DROP TABLE csi4j_log");

            assertThat(problems(connection))
                    .containsExactly("Tables are missing: csi4j_log. Stop all servers and restore all tables of csi4j_*"
                            + " from one backup; without one, drop the others too, which begins an empty log.");
            assertThatThrownBy(() -> SCHEMA.create(connection)).hasMessageContaining("Tables are missing: csi4j_log.");
        }
    }

    @Test
    void allProblemsAreInOneMessage() throws SQLException {
        try (Connection connection = created()) {
            execute(
                    connection,
                    "ALTER TABLE csi4j_server DROP COLUMN version",
                    "ALTER TABLE csi4j_snapshot ALTER COLUMN chunks SET DATA TYPE bigint",
                    "DROP TABLE csi4j_snapshot_chunk",
                    "CREATE TABLE csi4j_snapshot_chunk (idx bigint, chunk integer, content "
                            + Dialect.of(connection).type("content") + ")",
                    "UPDATE csi4j_head SET cluster = 'test', format = 2",
                    "DELETE FROM csi4j_lease");

            assertThat(problems(connection))
                    .containsExactly(
                            "The column chunks of csi4j_snapshot has the type bigint. Change it to integer.",
                            "The table csi4j_snapshot_chunk has no unique key over idx, chunk. Run: ALTER TABLE"
                                    + " csi4j_snapshot_chunk ADD UNIQUE (idx, chunk);",
                            "The table csi4j_server has no column version. Run: ALTER TABLE csi4j_server ADD COLUMN"
                                    + " version character varying(50); if its values were lost, restore the table"
                                    + " instead.",
                            "The tables csi4j_* belong to the cluster 'test', and this server is of 'prod'. Give each"
                                    + " cluster a schema or a prefix of its own; or correct the cluster's name.",
                            "The tables csi4j_* have format 2, and this version of csi4j reads formats up to 1. Upgrade"
                                    + " csi4j on this server.",
                            "The table csi4j_lease has no row. Stop all servers and run: INSERT INTO csi4j_lease (id,"
                                    + " term, renewals, holder) SELECT 1, term, 0, 0 FROM csi4j_head;");
            assertThatThrownBy(() -> SCHEMA.check(connection)).hasMessageContaining("for 6 reasons:\n- The column");
        }
    }

    @Test
    void lostHeadIsNotReplacedWhileLogHasEntries() throws SQLException {
        try (Connection connection = created()) {
            execute(
                    connection,
                    "INSERT INTO csi4j_log SELECT 1, 1, 1, 1, chain, chain FROM csi4j_head",
                    "DELETE FROM csi4j_head");

            assertThat(problems(connection))
                    .containsExactly(
                            "The table csi4j_head has no row, though the log has entries or snapshots. Stop all"
                                    + " servers and restore all tables of csi4j_* from one backup.");
            assertThatThrownBy(() -> SCHEMA.create(connection)).hasMessageContaining("csi4j_head has no row");

            execute(connection, "DELETE FROM csi4j_log");
            assertThat(problems(connection))
                    .containsExactly("The table csi4j_head has no row. Let csi4j create the first rows of the tables.");
            SCHEMA.createRows(connection);
            SCHEMA.check(connection);
        }
    }

    @Test
    void remedyForLostLeaseRepairsIt() throws SQLException {
        try (Connection connection = created()) {
            execute(
                    connection,
                    "INSERT INTO csi4j_log SELECT 1, 41, 1, 1, chain, chain FROM csi4j_head",
                    "UPDATE csi4j_head SET term = 41",
                    "DELETE FROM csi4j_lease");
            String problem = problems(connection).get(0);

            execute(connection, problem.substring(problem.indexOf("INSERT")));

            SCHEMA.check(connection);
            assertThat(Sql.value(connection, "SELECT term FROM csi4j_lease")).isEqualTo("41");
        }
    }

    @Test
    void missingSchemaIsTheOnlyProblem() throws SQLException {
        Schema elsewhere = new Schema(TableNames.of("no_such", "csi4j_"), "prod");
        try (Connection connection = connect()) {
            assertThat(problems(elsewhere, connection))
                    .singleElement(STRING)
                    .startsWith("The schema no_such does not exist. Run: CREATE SCHEMA no_such");
            assertThatThrownBy(() -> elsewhere.create(connection)).hasMessageContaining("no_such does not exist");
        }
    }
}
