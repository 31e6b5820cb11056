package io.csi4j.replication.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.postgres.PostgresServer;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;

@ExtendWith(PostgresExtension.class)
class PostgresSchemaTest extends SchemaTest {
    private static final Schema SCHEMA = new Schema(TableNames.ofDefault(), "prod");

    private TestSchema place;

    @BeforeEach
    void setPlace(TestSchema place) {
        this.place = place;
    }

    @Override
    DataSource dataSource() {
        PGSimpleDataSource source = place.dataSource();
        // A host that has chosen another isolation for itself.
        source.setOptions("-c default_transaction_isolation=serializable");
        return source;
    }

    private static String identity(PostgresServer server) throws SQLException {
        try (Connection connection = server.dataSource().getConnection()) {
            return Dialect.of(connection).identity(connection, TableNames.ofDefault());
        }
    }

    @Test
    void namedSchemaIsUsedWhateverTheSearchPathIs() throws SQLException {
        Schema named = new Schema(TableNames.of(place.name(), "x_"), "prod");
        try (Connection connection = place.server().dataSource().getConnection()) {
            named.create(connection);
            named.check(connection);
        }
        try (Connection connection = connect()) {
            assertThat(Sql.value(connection, "SELECT cluster FROM x_head")).isEqualTo("prod");
        }
    }

    @Test
    void replicaIsRefusedUntilItIsPromotedAndHasAnotherIdentity() throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            try (Connection connection = server.dataSource().getConnection()) {
                SCHEMA.create(connection);
            }
            String before = identity(server);
            assertThat(before).matches("system=\\d+,timeline=00000001,database=\\d+,table=\\d+");
            server.stop();
            server.restart();
            assertThat(identity(server)).isEqualTo(before);
            try (PostgresServer standby = server.standby()) {
                try (Connection connection = standby.dataSource().getConnection()) {
                    assertThatThrownBy(() -> SCHEMA.check(connection))
                            .hasMessageContaining("The server is a replica that cannot be written to.");
                    assertThatThrownBy(() -> SCHEMA.create(connection)).hasMessageContaining("is a replica");
                }
                standby.promote();
                try (Connection connection = standby.dataSource().getConnection()) {
                    SCHEMA.check(connection);
                }
                assertThat(identity(standby)).isEqualTo(before.replace("timeline=00000001", "timeline=00000002"));
            }
        }
    }

    @Test
    void restoredBackupAndCopiedTablesHaveAnotherIdentity() throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            try (Connection connection = server.dataSource().getConnection()) {
                SCHEMA.create(connection);
            }
            String before = identity(server);
            Path backup = server.backup();

            server.restore(backup);
            String restored = identity(server);
            assertThat(restored).isNotEqualTo(before);

            // A dump creates the tables again.
            server.execute(
                    "CREATE TABLE copied AS SELECT * FROM csi4j_head",
                    "DROP TABLE csi4j_head",
                    "ALTER TABLE copied RENAME TO csi4j_head");
            assertThat(identity(server)).isNotEqualTo(restored);

            server.execute("CREATE DATABASE second TEMPLATE template1");
            PGSimpleDataSource second = server.dataSource();
            second.setDatabaseName("second");
            try (Connection connection = second.getConnection()) {
                assertThat(Dialect.of(connection).identity(connection, TableNames.ofDefault()))
                        .endsWith("table=");
            }

            server.restoreFiles(backup);
            assertThat(identity(server)).isEqualTo(before);
        }
    }

    @Test
    void identityIsReadInsideTransactionOfRoleThatMayNotReadAllOfIt() throws SQLException {
        PostgresServer server = place.server();
        server.createRole("curious");
        server.execute("REVOKE EXECUTE ON FUNCTION pg_control_system FROM PUBLIC");
        try (Connection connection = server.dataSource("curious").getConnection()) {
            connection.setAutoCommit(false);
            assertThat(Dialect.of(connection).identity(connection, TableNames.ofDefault()))
                    .startsWith("system=unreadable,timeline=00000001,");
        } finally {
            server.execute("GRANT EXECUTE ON FUNCTION pg_control_system TO PUBLIC", "DROP ROLE curious");
        }
    }

    @Test
    void readOnlyTransactionsAreRefused() throws SQLException {
        PGSimpleDataSource source = place.dataSource();
        source.setOptions("-c default_transaction_read_only=on");
        try (Connection connection = source.getConnection()) {
            assertThatThrownBy(() -> SCHEMA.check(connection))
                    .hasMessageContaining("Transactions are read-only. Set default_transaction_read_only");
        }
    }

    @Test
    void oldestServerHoldsTables() throws SQLException {
        try (PostgresServer server = PostgresServer.builder().oldest().start();
                Connection connection = server.dataSource().getConnection()) {
            SCHEMA.create(connection);
            SCHEMA.check(connection);
            assertThat(identity(server)).matches("system=\\d+,timeline=00000001,database=\\d+,table=\\d+");
        }
    }
}
