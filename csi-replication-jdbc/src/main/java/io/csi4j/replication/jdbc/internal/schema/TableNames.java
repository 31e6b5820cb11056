package io.csi4j.replication.jdbc.internal.schema;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The names of the tables: a schema of the database, and a prefix. */
public final class TableNames {
    /** The prefix of the names in the SQL files. */
    public static final String DEFAULT_PREFIX = "csi4j_";

    private static final int LONGEST = 40;
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]*");
    private static final Pattern DEFAULT_NAME = Pattern.compile("\\b" + DEFAULT_PREFIX);

    private final @Nullable String schema;
    private final String prefix;

    private TableNames(@Nullable String schema, String prefix) {
        this.schema = schema;
        this.prefix = prefix;
    }

    /** Returns the names of the SQL files, in the first schema of the connection. */
    public static TableNames ofDefault() {
        return new TableNames(null, DEFAULT_PREFIX);
    }

    /**
     * Returns names in a schema.
     *
     * @param schema the name of the schema, or null for the first schema of the connection
     * @param prefix the begin of all names; may be empty
     * @throws IllegalArgumentException if a name has other characters than lower-case letters, digits and underscores,
     *     begins with a digit, or has more than 40 characters
     */
    public static TableNames of(@Nullable String schema, String prefix) {
        if (schema != null) {
            check("schema", schema);
        }
        if (!prefix.isEmpty()) {
            check("prefix", prefix);
        }
        return new TableNames(schema, prefix);
    }

    private static void check(String field, String value) {
        if (value.length() > LONGEST) {
            throw new IllegalArgumentException(
                    field + " has " + value.length() + " characters; use at most " + LONGEST + ": " + value);
        }
        if (!NAME.matcher(value).matches()) {
            throw new IllegalArgumentException(field + " '" + value + "' is not a name that every database reads alike;"
                    + " use lower-case letters of ASCII, digits and underscores, and begin with no digit");
        }
    }

    /** Returns the schema, or null for the first schema of the connection. */
    public @Nullable String schema() {
        return schema;
    }

    /** Returns the begin of all names. */
    public String prefix() {
        return prefix;
    }

    /** Returns the name of a table without the schema. */
    String plain(Table table) {
        return prefix + table.suffix();
    }

    private String qualified(Table table) {
        return qualifier() + table.suffix();
    }

    private String qualifier() {
        return schema == null ? prefix : schema + "." + prefix;
    }

    /** Returns the name of the table with the state of the log, for use in SQL. */
    public String head() {
        return qualified(Table.HEAD);
    }

    /** Returns the name of the table with the leader, for use in SQL. */
    public String lease() {
        return qualified(Table.LEASE);
    }

    /** Returns the name of the table with the commands, for use in SQL. */
    public String log() {
        return qualified(Table.LOG);
    }

    /** Returns the name of the table with the commands that are not in the log yet, for use in SQL. */
    public String submission() {
        return qualified(Table.SUBMISSION);
    }

    /** Returns the name of the table with the snapshots, for use in SQL. */
    public String snapshot() {
        return qualified(Table.SNAPSHOT);
    }

    /** Returns the name of the table with the content of the snapshots, for use in SQL. */
    public String snapshotChunk() {
        return qualified(Table.SNAPSHOT_CHUNK);
    }

    /** Returns the name of the table with the servers, for use in SQL. */
    public String server() {
        return qualified(Table.SERVER);
    }

    /** Returns the name of any table, for use in SQL. */
    String of(Table table) {
        return qualified(table);
    }

    /** Returns the SQL which creates the tables under these names. */
    public String sql(Dialect dialect) {
        return DEFAULT_NAME.matcher(dialect.script()).replaceAll(Matcher.quoteReplacement(qualifier()));
    }

    @Override
    public String toString() {
        return qualifier();
    }

    /** Returns the name under which servers hear that the log has changed. */
    public String channel() {
        // A name of PostgreSQL has at most 63 characters, and the names of schema and prefix together may be longer.
        return DEFAULT_PREFIX + Integer.toHexString(toString().hashCode());
    }
}
