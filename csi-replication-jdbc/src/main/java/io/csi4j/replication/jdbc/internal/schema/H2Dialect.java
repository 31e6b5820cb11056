package io.csi4j.replication.jdbc.internal.schema;

import io.csi4j.replication.jdbc.internal.schema.Table.Right;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** H2 from version 2, in a process that uses the database alone. */
final class H2Dialect implements Dialect {
    private static final int OLDEST = 2;

    /** SQL states of H2: a table or a unique value exists. */
    private static final Set<String> ALREADY_THERE = Set.of("42S01", "23505");

    private static final Set<String> NO_TABLE = Set.of("42S02", "42S03", "42S04", "90079");

    private static final String FORBIDDEN = "90096";
    private static final String ADMIN_NEEDED = "90040";

    @Override
    public String script() {
        return Dialect.read("h2/V1__csi4j.sql");
    }

    @Override
    public String identity(Connection connection, TableNames names) {
        return "";
    }

    @Override
    public String type(String type) {
        return switch (type) {
            case "bytes" -> "binary varying(64)";
            case "content" -> "binary large object";
            case "time" -> "timestamp with time zone";
            default -> type.replace("text", "character varying");
        };
    }

    @Override
    public List<String> problems(Connection connection) throws SQLException {
        List<String> problems = new ArrayList<>();
        if (connection.getMetaData().getDatabaseMajorVersion() < OLDEST) {
            problems.add("The version of H2 is " + connection.getMetaData().getDatabaseProductVersion()
                    + ". Take version " + OLDEST + " or newer.");
        }
        String delay = Sql.value(
                connection, "SELECT setting_value FROM information_schema.settings WHERE setting_name = 'WRITE_DELAY'");
        if (!delay.equals("0")) {
            problems.add("H2 writes a commit to the disk up to " + delay
                    + " ms later, and a crash loses what was answered." + " Add ;WRITE_DELAY=0 to the URL.");
        }
        if (connection.isReadOnly()) {
            problems.add("The database is read-only. Remove ACCESS_MODE_DATA=r from its URL, and give the user of the"
                    + " process the right to write its file.");
        }
        return problems;
    }

    @Override
    public List<String> schemaProblems(Connection connection, TableNames names) throws SQLException {
        String schema = names.schema();
        boolean exists = schema == null
                || !Sql.rows(
                                connection,
                                "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?",
                                schema.toUpperCase(Locale.ROOT))
                        .isEmpty();
        return exists
                ? List.of()
                : List.of("The schema " + schema + " does not exist. Run: CREATE SCHEMA " + schema + ";");
    }

    @Override
    public String role(Connection connection) throws SQLException {
        return Sql.value(connection, "SELECT current_user");
    }

    @Override
    public Map<Table, FoundTable> find(Connection connection, TableNames names) throws SQLException {
        Map<Table, FoundTable> found = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            FoundTable read = read(connection, names, names.plain(table).toUpperCase(Locale.ROOT));
            if (!read.columns().isEmpty()) {
                found.put(table, read);
            }
        }
        return found;
    }

    private static FoundTable read(Connection connection, TableNames names, String table) throws SQLException {
        String schema =
                names.schema() == null ? "current_schema" : "'" + names.schema().toUpperCase(Locale.ROOT) + "'";
        Map<String, String> columns = new LinkedHashMap<>();
        Sql.rows(
                        connection,
                        "SELECT lower(column_name), lower(data_type) || CASE WHEN data_type LIKE '%VARYING' THEN"
                                + " '(' || character_maximum_length || ')' ELSE '' END"
                                + " FROM information_schema.columns WHERE table_schema = " + schema
                                + " AND table_name = ? ORDER BY ordinal_position",
                        table)
                .forEach(row -> columns.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        Map<String, Set<String>> keys = new LinkedHashMap<>();
        Sql.rows(
                        connection,
                        "SELECT index_name, lower(column_name) FROM information_schema.index_columns"
                                + " WHERE table_schema = " + schema + " AND table_name = ? AND is_unique",
                        table)
                .forEach(row -> keys.computeIfAbsent(String.valueOf(row.get(0)), index -> new LinkedHashSet<>())
                        .add(String.valueOf(row.get(1))));
        return new FoundTable(columns, Set.copyOf(keys.values()));
    }

    /** The owner of an embedded database has all rights. */
    @Override
    public List<Right> missingRights(Connection connection, TableNames names, Table table) {
        return List.of();
    }

    @Override
    public void lock(Connection connection, TableNames names) {}

    @Override
    public boolean createsAllOrNone() {
        return false;
    }

    @Override
    public boolean alreadyThere(SQLException failure) {
        return ALREADY_THERE.contains(failure.getSQLState());
    }

    @Override
    public boolean forbidden(SQLException failure) {
        return FORBIDDEN.equals(failure.getSQLState()) || ADMIN_NEEDED.equals(failure.getSQLState());
    }

    /** The database is in the same process. */
    @Override
    public void limitSilence(Connection connection, Duration limit) {}

    /** The servers look by themselves. */
    @Override
    public void announce(Connection connection, TableNames names) {}

    @Override
    public String readOnlyTransaction() {
        return "FALSE";
    }

    @Override
    public boolean noTable(SQLException failure) {
        return NO_TABLE.contains(failure.getSQLState());
    }

    @Override
    public boolean announces() {
        return false;
    }

    @Override
    public List<String> holders(Connection connection, TableNames names) {
        return List.of();
    }

    /** One server uses the database. */
    @Override
    public void readOneMoment(Connection connection) {}
}
