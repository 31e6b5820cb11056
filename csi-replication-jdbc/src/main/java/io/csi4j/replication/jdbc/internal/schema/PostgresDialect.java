package io.csi4j.replication.jdbc.internal.schema;

import io.csi4j.replication.jdbc.internal.schema.Table.Right;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** PostgreSQL from version 13. */
final class PostgresDialect implements Dialect {
    private static final int OLDEST = 13;

    /** The first half of the key of the lock that {@link #lock} takes: the letters "csi4". */
    private static final int LOCK = 0x63736934;

    private static final String FORBIDDEN = "42501";

    /** The right, the operation, or the function does not exist, for example at a provider that has changed the server. */
    private static final Set<String> NOT_READABLE = Set.of(FORBIDDEN, "0A000", "42883");

    @Override
    public String script() {
        return Dialect.read("postgresql/V1__csi4j.sql");
    }

    @Override
    public String identity(Connection connection, TableNames names) throws SQLException {
        return "system=" + readable(connection, "SELECT system_identifier FROM pg_control_system()")
                + ",timeline="
                + readable(
                        connection,
                        "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE"
                                + " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END")
                + ",database="
                + readable(connection, "SELECT oid FROM pg_database WHERE datname = current_database()")
                + ",table="
                + readable(connection, "SELECT to_regclass('" + names.head() + "')::oid");
    }

    /** Returns a value, or a constant where the role or the server does not permit to read it. */
    private static String readable(Connection connection, String sql) throws SQLException {
        @Nullable Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
        try {
            return Sql.value(connection, sql);
        } catch (SQLException e) {
            if (!NOT_READABLE.contains(e.getSQLState())) {
                throw e;
            }
            if (before != null) {
                connection.rollback(before);
            }
            return "unreadable";
        }
    }

    @Override
    public String type(String type) {
        return switch (type) {
            case "bytes", "content" -> "bytea";
            case "time" -> "timestamp with time zone";
            default -> type.replace("text", "character varying");
        };
    }

    @Override
    public List<String> problems(Connection connection) throws SQLException {
        List<String> problems = new ArrayList<>();
        if (connection.getMetaData().getDatabaseMajorVersion() < OLDEST) {
            problems.add(
                    "The version of PostgreSQL is " + connection.getMetaData().getDatabaseProductVersion()
                            + ". Upgrade the server to " + OLDEST + " or newer.");
        }
        if (Sql.value(connection, "SHOW synchronous_commit").equals("off")) {
            problems.add("Commits are not on the disk when they are answered, and a crash loses them. Run: ALTER ROLE "
                    + role(connection) + " SET synchronous_commit = on;");
        }
        if (Sql.value(connection, "SELECT pg_is_in_recovery()").equals("t")) {
            problems.add(
                    "The server is a replica that cannot be written to. Give a DataSource that leads to the primary"
                            + " server, for example with targetServerType=primary in the URL.");
        } else if (Sql.value(connection, "SHOW transaction_read_only").equals("on")) {
            problems.add("Transactions are read-only. Set default_transaction_read_only of the server, the database and"
                    + " the role " + role(connection) + " to off, and readOnly of the DataSource to false.");
        }
        return problems;
    }

    @Override
    public List<String> schemaProblems(Connection connection, TableNames names) throws SQLException {
        String schema = names.schema();
        if (schema == null) {
            return List.of();
        }
        String usable = Sql.value(
                connection, "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = ?", schema);
        String role = role(connection);
        return switch (usable) {
            case "t" -> List.of();
            case "" ->
                List.of("The schema " + schema + " does not exist. Run: CREATE SCHEMA " + schema + " AUTHORIZATION "
                        + role + ";");
            default ->
                List.of("The role " + role + " may not use the schema " + schema + ". Run: GRANT USAGE ON SCHEMA "
                        + schema + " TO " + role + ";");
        };
    }

    @Override
    public String role(Connection connection) throws SQLException {
        return Sql.value(connection, "SELECT quote_ident(current_user)");
    }

    @Override
    public Map<Table, FoundTable> find(Connection connection, TableNames names) throws SQLException {
        Map<Table, FoundTable> found = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            String oid = Sql.value(connection, "SELECT to_regclass(?)::oid::bigint", names.of(table));
            if (!oid.isEmpty()) {
                found.put(table, read(connection, Long.parseLong(oid)));
            }
        }
        return found;
    }

    private static FoundTable read(Connection connection, long oid) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        Sql.rows(
                        connection,
                        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
                                + " WHERE attrelid = ? AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
                        oid)
                .forEach(row -> columns.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        Map<String, Set<String>> keys = new LinkedHashMap<>();
        Sql.rows(
                        connection,
                        "SELECT i.indexrelid, a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
                                + " AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]) WHERE i.indrelid = ?"
                                + " AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL",
                        oid)
                .forEach(row -> keys.computeIfAbsent(String.valueOf(row.get(0)), index -> new LinkedHashSet<>())
                        .add(String.valueOf(row.get(1))));
        return new FoundTable(columns, Set.copyOf(keys.values()));
    }

    @Override
    public List<Right> missingRights(Connection connection, TableNames names, Table table) throws SQLException {
        String sql = table.rights().stream()
                .map(right -> "SELECT '" + right + "' WHERE NOT has_table_privilege(to_regclass('" + names.of(table)
                        + "')::oid, '" + right + "')")
                .collect(Collectors.joining(" UNION ALL "));
        return Sql.rows(connection, sql).stream()
                .map(row -> Right.valueOf(String.valueOf(row.get(0))))
                .sorted()
                .toList();
    }

    @Override
    public void lock(Connection connection, TableNames names) throws SQLException {
        Sql.rows(
                connection,
                "SELECT pg_advisory_xact_lock(?, ?)",
                LOCK,
                names.toString().hashCode());
    }

    @Override
    public boolean createsAllOrNone() {
        return true;
    }

    @Override
    public boolean alreadyThere(SQLException failure) {
        return false;
    }

    @Override
    public boolean forbidden(SQLException failure) {
        return FORBIDDEN.equals(failure.getSQLState()) || "3F000".equals(failure.getSQLState());
    }

    @Override
    public void limitSilence(Connection connection, Duration limit) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = " + limit.toMillis());
        }
    }

    @Override
    public void announce(Connection connection, TableNames names) throws SQLException {
        Sql.rows(connection, "SELECT pg_notify(?, '')", names.channel());
    }

    @Override
    public String readOnlyTransaction() {
        return "current_setting('transaction_read_only')::boolean";
    }

    @Override
    public boolean noTable(SQLException failure) {
        return "42P01".equals(failure.getSQLState()) || "3F000".equals(failure.getSQLState());
    }

    @Override
    public boolean announces() {
        return true;
    }

    @Override
    public List<String> holders(Connection connection, TableNames names) throws SQLException {
        return Sql.rows(
                        connection,
                        "SELECT DISTINCT a.pid, a.usename, a.application_name, a.state, a.xact_start FROM pg_locks l"
                                + " JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.granted AND a.pid <> pg_backend_pid()"
                                // Others that wait for the same rows hold nothing that this server waits for.
                                + " AND a.wait_event_type IS DISTINCT FROM 'Lock'"
                                + " AND l.relation IN (to_regclass(?), to_regclass(?)) ORDER BY a.xact_start",
                        names.head(),
                        names.lease())
                .stream()
                .map(row -> "session " + row.get(0) + " of " + row.get(1) + " (" + row.get(2) + ", " + row.get(3)
                        + ", in a transaction since " + row.get(4) + ")")
                .toList();
    }

    @Override
    public void readOneMoment(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        }
    }
}
