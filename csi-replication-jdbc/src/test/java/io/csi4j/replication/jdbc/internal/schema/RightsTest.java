package io.csi4j.replication.jdbc.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.replication.jdbc.DatabaseUnusableException;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcCommandLogBuilder;
import io.csi4j.replication.jdbc.internal.schema.Table.Right;
import io.csi4j.replication.jdbc.postgres.PostgresExtension;
import io.csi4j.replication.jdbc.postgres.TestSchema;
import io.csi4j.state.ClearTextSecretsCipher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A role that has the rights of the table in the README and no others. */
@ExtendWith(PostgresExtension.class)
class RightsTest {
    private static final Schema SCHEMA = new Schema(TableNames.ofDefault(), "prod");
    private static final TableNames NAMES = TableNames.ofDefault();

    private TestSchema place;

    @BeforeEach
    void createRole(TestSchema place) throws SQLException {
        this.place = place;
        try (Connection owner = place.connect()) {
            SchemaTest.execute(owner, NAMES.sql(Dialect.of(owner)), "CREATE ROLE app LOGIN");
            SchemaTest.execute(owner, "GRANT USAGE ON SCHEMA " + place.name() + " TO app");
            SchemaTest.execute(owner, grants().toArray(String[]::new));
        }
    }

    @AfterEach
    void dropRole() {
        place.server().execute("DROP OWNED BY app", "DROP ROLE app");
    }

    private static List<String> grants() {
        List<String> grants = new ArrayList<>();
        for (Table table : Table.values()) {
            for (Right right : table.rights()) {
                grants.add("GRANT " + right + " ON " + NAMES.of(table) + " TO app");
            }
        }
        return grants;
    }

    private Connection connect() throws SQLException {
        return place.dataSource("app").getConnection();
    }

    @Test
    void roleWithLeastRightsUsesTablesThatOwnerHasCreated() throws SQLException {
        try (Connection connection = connect()) {
            SCHEMA.create(connection);

            SCHEMA.check(connection);
            SchemaTest.execute(
                    connection,
                    "INSERT INTO csi4j_submission (subject, recorded_at, content) VALUES ('', CURRENT_TIMESTAMP, '')",
                    "UPDATE csi4j_head SET last_index = 1");
        }
    }

    @Test
    void startWritesFirstRowsOfTablesThatOwnerHasCreated() throws IOException {
        JdbcCommandLogBuilder log = JdbcCommandLog.builder(place.dataSource("app"))
                .server("a")
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable());

        log.start().close();
        log.start().close();
    }

    @Test
    void firstRowsWaitUntilAllRightsAreGranted() throws SQLException {
        try (Connection owner = place.connect();
                Connection connection = connect()) {
            for (String grant : grants()) {
                SchemaTest.execute(owner, grant.replace("GRANT", "REVOKE").replace("TO", "FROM"));

                SCHEMA.createRows(connection);

                assertThat(Sql.exists(owner, NAMES.head())).as(grant).isFalse();
                SchemaTest.execute(owner, grant);
            }
            SCHEMA.createRows(connection);
            SCHEMA.check(connection);
        }
    }

    @Test
    void eachMissingRightIsNamedWithItsGrant() throws SQLException {
        try (Connection owner = place.connect();
                Connection connection = connect()) {
            SCHEMA.create(connection);
            for (String grant : grants()) {
                SchemaTest.execute(owner, grant.replace("GRANT", "REVOKE").replace("TO", "FROM"));

                assertThat(SchemaTest.problems(SCHEMA, connection))
                        .containsExactly("The role app lacks rights. Run: " + grant + ";");

                SchemaTest.execute(owner, grant);
                SCHEMA.check(connection);
            }
        }
    }

    @Test
    void roleWithoutAnyRightGetsAllGrantsInOneMessageThatRepairIt() throws SQLException {
        try (Connection owner = place.connect();
                Connection connection = connect()) {
            SCHEMA.create(connection);
            SchemaTest.execute(owner, "DROP OWNED BY app", "GRANT USAGE ON SCHEMA " + place.name() + " TO app");
            List<String> problems = SchemaTest.problems(SCHEMA, connection);

            assertThat(problems).hasSize(Table.values().length);
            for (String problem : problems) {
                SchemaTest.execute(owner, problem.substring(problem.indexOf("GRANT")));
            }
            SCHEMA.check(connection);
        }
    }

    @Test
    void roleThatMayNotUseSchemaGetsItsGrant() throws SQLException {
        Schema named = new Schema(TableNames.of(place.name(), "csi4j_"), "prod");
        place.server().execute("REVOKE USAGE ON SCHEMA " + place.name() + " FROM app");
        try (Connection connection = connect()) {
            assertThat(SchemaTest.problems(named, connection))
                    .containsExactly("The role app may not use the schema " + place.name()
                            + ". Run: GRANT USAGE ON SCHEMA " + place.name() + " TO app;");
        }
    }

    @Test
    void roleThatMayNotCreateTablesGetsBothRemedies() throws SQLException {
        Schema other = new Schema(TableNames.of(place.name(), "other_"), "prod");
        try (Connection connection = connect()) {
            assertThatThrownBy(() -> other.create(connection))
                    .isInstanceOf(DatabaseUnusableException.class)
                    .hasMessageContainingAll(
                            "The role app may not create the tables " + place.name() + ".other_*",
                            "Run the SQL file",
                            "GRANT CREATE ON SCHEMA " + place.name() + " TO app;");
            assertThatThrownBy(() -> new Schema(TableNames.of(null, "other_"), "prod").create(connection))
                    .hasMessageContaining("GRANT CREATE ON SCHEMA " + place.name() + " TO app;");
            // The connection stays usable.
            assertThat(Sql.value(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void pageHasTableOfRights() throws IOException {
        Map<String, String> rights = new TreeMap<>();
        for (Table table : Table.values()) {
            rights.put(NAMES.of(table), table.rights().stream().map(Right::name).collect(Collectors.joining(", ")));
        }
        Map<String, String> page = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("| `csi4j_")) {
                List<String> cells =
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
                page.put(cells.get(1).replace("`", ""), cells.get(2));
            }
        }
        assertThat(page).isEqualTo(rights);
    }
}
