package io.csi4j.replication.jdbc.internal.schema;

import io.csi4j.replication.jdbc.DatabaseUnusableException;
import io.csi4j.replication.jdbc.internal.schema.Table.Right;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of one cluster: creates them, and checks that they can hold the log. */
public final class Schema {
    /** The format of the tables that this version of csi4j writes. */
    static final int FORMAT = 1;

    private static final int LONGEST_CLUSTER = 100;
    private static final int DIGEST_BYTES = 32;

    private final TableNames names;
    private final String cluster;

    /**
     * Describes the tables of a cluster.
     *
     * @param names the names of the tables
     * @param cluster the name of the cluster; all its servers have the same
     * @throws IllegalArgumentException if the name of the cluster is blank or has more than 100 characters
     */
    public Schema(TableNames names, String cluster) {
        if (cluster.isBlank() || cluster.length() > LONGEST_CLUSTER) {
            throw new IllegalArgumentException("cluster has " + cluster.length() + " characters; give a name of 1 to "
                    + LONGEST_CLUSTER + " characters that are not all blank");
        }
        this.names = names;
        this.cluster = cluster;
    }

    /**
     * Creates the tables and their first rows if there are none. Existing tables and rows stay as they are. Several
     * servers may do this at once.
     *
     * @param connection a connection outside of a transaction
     * @throws DatabaseUnusableException if the tables cannot be created, or some of them were lost
     */
    public void create(Connection connection) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        boolean autoCommit = connection.getAutoCommit();
        // Isolation can only change outside of a transaction, and the queries below begin none.
        connection.setAutoCommit(true);
        List<String> problems = problems(connection, dialect);
        throwIfAny(problems);
        String role = dialect.role(connection);
        String schema = names.schema() == null ? connection.getSchema() : names.schema();
        int isolation = connection.getTransactionIsolation();
        // A server that has waited for the lock has to see the rows of the one that had it.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        try {
            createAll(connection, dialect);
            connection.commit();
        } catch (SQLException | DatabaseUnusableException e) {
            if (e instanceof SQLException failure && dialect.forbidden(failure)) {
                problems.add(forbidden(role, schema, failure));
            }
            try {
                connection.rollback();
                restore(connection, autoCommit, isolation);
            } catch (SQLException lost) {
                e.addSuppressed(lost);
            }
            if (!problems.isEmpty()) {
                throw new DatabaseUnusableException(problems, e);
            }
            throw e;
        }
        restore(connection, autoCommit, isolation);
    }

    /**
     * Creates the first rows of tables that the host has created, and nothing if anything else is missing or wrong.
     *
     * @param connection a connection outside of a transaction
     */
    public void createRows(Connection connection) throws SQLException {
        if (allProblems(connection).equals(List.of(noRows()))) {
            create(connection);
        }
    }

    private List<String> problems(Connection connection, Dialect dialect) throws SQLException {
        List<String> problems = new ArrayList<>(dialect.problems(connection));
        problems.addAll(dialect.schemaProblems(connection, names));
        return problems;
    }

    private static void restore(Connection connection, boolean autoCommit, int isolation) throws SQLException {
        connection.setAutoCommit(true);
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(autoCommit);
    }

    private String forbidden(String role, @Nullable String schema, SQLException failure) {
        return "The role " + role + " may not create the tables " + names + "* (" + failure.getMessage()
                + "). Run the SQL file of csi4j as the owner of the schema, and grant the rights on the tables; or run:"
                + " GRANT CREATE ON SCHEMA " + (schema == null ? "<schema>" : schema) + " TO " + role
                + ";";
    }

    private void createAll(Connection connection, Dialect dialect) throws SQLException {
        dialect.lock(connection, names);
        Map<Table, FoundTable> found = dialect.find(connection, names);
        if (found.size() < Table.values().length) {
            createTables(connection, dialect, found);
        }
        insertRows(connection, dialect);
    }

    private void createTables(Connection connection, Dialect dialect, Map<Table, FoundTable> found)
            throws SQLException {
        boolean begun = found.containsKey(Table.HEAD) && Sql.exists(connection, names.head());
        if (begun || (!found.isEmpty() && dialect.createsAllOrNone())) {
            // Another server may have created the other tables in between.
            Map<Table, FoundTable> now = dialect.find(connection, names);
            if (now.size() < Table.values().length) {
                throw new DatabaseUnusableException(missing(now));
            }
            return;
        }
        for (String sql : names.sql(dialect).replaceAll("(?m)^--.*", "").split(";\\s*", -1)) {
            if (!sql.isBlank()) {
                tolerant(connection, dialect, sql);
            }
        }
    }

    private static void tolerant(Connection connection, Dialect dialect, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!dialect.alreadyThere(e)) {
                throw e;
            }
        }
    }

    /** The row of the head comes last: where it is, the creation was complete. */
    private void insertRows(Connection connection, Dialect dialect) throws SQLException {
        if (Sql.exists(connection, names.head())) {
            return;
        }
        if (hasContent(connection)) {
            throw new DatabaseUnusableException(List.of(lostHead()));
        }
        if (!Sql.exists(connection, names.lease())) {
            tolerant(
                    connection,
                    dialect,
                    "INSERT INTO " + names.lease() + " (id, term, renewals, holder) VALUES (1, 0, 0, 0)");
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO " + names.head()
                        + " (id, cluster, format, term, last_index, chain, first_index, identity) VALUES (1, ?, ?, 0, 0, ?, 1, '')")) {
            insert.setString(1, cluster);
            insert.setInt(2, FORMAT);
            insert.setBytes(3, new byte[DIGEST_BYTES]);
            insert.executeUpdate();
        } catch (SQLException e) {
            if (!dialect.alreadyThere(e)) {
                throw e;
            }
        }
    }

    private boolean hasContent(Connection connection) throws SQLException {
        return Sql.exists(connection, names.log()) || Sql.exists(connection, names.snapshot());
    }

    /**
     * Checks the database and changes nothing.
     *
     * @throws DatabaseUnusableException if it cannot hold the log of this cluster; the message has all reasons
     */
    public void check(Connection connection) throws SQLException {
        throwIfAny(allProblems(connection));
    }

    private List<String> allProblems(Connection connection) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        List<String> problems = problems(connection, dialect);
        if (dialect.schemaProblems(connection, names).isEmpty()) {
            checkTables(connection, dialect, problems);
        }
        return problems;
    }

    private void checkTables(Connection connection, Dialect dialect, List<String> problems) throws SQLException {
        Map<Table, FoundTable> found = dialect.find(connection, names);
        problems.addAll(missing(found));
        List<Table> readable = new ArrayList<>();
        for (Map.Entry<Table, FoundTable> entry : found.entrySet()) {
            Table table = entry.getKey();
            compare(dialect, table, entry.getValue(), problems);
            List<Right> lacking = dialect.missingRights(connection, names, table);
            if (!lacking.isEmpty()) {
                String rights = lacking.stream().map(Right::name).collect(Collectors.joining(", "));
                String role = dialect.role(connection);
                problems.add("The role " + role + " lacks rights. Run: GRANT " + rights + " ON " + names.of(table)
                        + " TO " + role + ";");
            }
            if (!lacking.contains(Right.SELECT)) {
                readable.add(table);
            }
        }
        if (readable.containsAll(List.of(Table.HEAD, Table.LEASE, Table.LOG, Table.SNAPSHOT))) {
            checkRows(connection, found.get(Table.HEAD), problems);
        }
    }

    private List<String> missing(Map<Table, FoundTable> found) {
        String missing = Arrays.stream(Table.values())
                .filter(table -> !found.containsKey(table))
                .map(names::of)
                .collect(Collectors.joining(", "));
        if (missing.isEmpty()) {
            return List.of();
        }
        return List.of(
                found.isEmpty()
                        ? "There are no tables " + missing + ". Run the SQL file of csi4j, or let csi4j create them; or"
                                + " correct the schema or the prefix."
                        : "Tables are missing: " + missing + ". Stop all servers and restore all tables of " + names
                                + "* from one backup; without one, drop the others too, which begins an empty log.");
    }

    private void compare(Dialect dialect, Table table, FoundTable found, List<String> problems) {
        table.columns().forEach((column, type) -> {
            String actual = found.columns().get(column);
            String expected = dialect.type(type);
            if (actual == null) {
                problems.add("The table " + names.of(table) + " has no column " + column + ". Run: ALTER TABLE "
                        + names.of(table) + " ADD COLUMN " + column + " " + expected
                        + "; if its values were lost, restore the table instead.");
            } else if (!actual.equals(expected)) {
                problems.add("The column " + column + " of " + names.of(table) + " has the type " + actual
                        + ". Change it to " + expected + ".");
            }
        });
        table.keys().stream().filter(key -> !found.keys().contains(key)).forEach(key -> {
            String columns =
                    table.columns().keySet().stream().filter(key::contains).collect(Collectors.joining(", "));
            problems.add("The table " + names.of(table) + " has no unique key over " + columns + ". Run: ALTER TABLE "
                    + names.of(table) + " ADD UNIQUE (" + columns + ");");
        });
    }

    private void checkRows(Connection connection, @Nullable FoundTable head, List<String> problems)
            throws SQLException {
        if (head == null || !head.columns().keySet().containsAll(List.of("cluster", "format"))) {
            return;
        }
        List<List<@Nullable String>> rows = Sql.rows(connection, "SELECT cluster, format FROM " + names.head());
        if (rows.isEmpty()) {
            problems.add(hasContent(connection) ? lostHead() : noRows());
            return;
        }
        String owner = String.valueOf(rows.get(0).get(0));
        if (!owner.equals(cluster)) {
            problems.add("The tables " + names + "* belong to the cluster '" + owner + "', and this server is of '"
                    + cluster + "'. Give each cluster a schema or a prefix of its own; or correct the cluster's name.");
        }
        int format = Integer.parseInt(String.valueOf(rows.get(0).get(1)));
        if (format > FORMAT) {
            problems.add("The tables " + names + "* have format " + format
                    + ", and this version of csi4j reads formats up to " + FORMAT + ". Upgrade csi4j on this server.");
        }
        if (!Sql.exists(connection, names.lease())) {
            problems.add("The table " + names.lease() + " has no row. Stop all servers and run: INSERT INTO "
                    + names.lease() + " (id, term, renewals, holder) SELECT 1, term, 0, 0 FROM "
                    + names.head() + ";");
        }
    }

    private String noRows() {
        return "The table " + names.head() + " has no row. Let csi4j create the first rows of the tables.";
    }

    private String lostHead() {
        return "The table " + names.head()
                + " has no row, though the log has entries or snapshots. Stop all servers and"
                + " restore all tables of " + names + "* from one backup.";
    }

    private static void throwIfAny(List<String> problems) {
        if (!problems.isEmpty()) {
            throw new DatabaseUnusableException(problems);
        }
    }
}
