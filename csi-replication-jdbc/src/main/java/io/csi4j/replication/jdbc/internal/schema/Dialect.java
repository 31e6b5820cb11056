package io.csi4j.replication.jdbc.internal.schema;

import io.csi4j.replication.jdbc.DatabaseUnusableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The differences between the databases that can hold the log. */
public sealed interface Dialect permits PostgresDialect, H2Dialect {
    /**
     * Returns the dialect of a database.
     *
     * @throws DatabaseUnusableException if the product is neither PostgreSQL nor H2
     */
    static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> new PostgresDialect();
            case "H2" -> new H2Dialect();
            default ->
                throw new DatabaseUnusableException(
                        List.of("The DataSource leads to " + product + ". Give one of PostgreSQL or H2."));
        };
    }

    /** Returns the SQL file that creates the tables under their default names. */
    String script();

    /**
     * Returns a text that changes when another database takes the place of this one: a restored dump, a restored base
     * backup, or a promoted replica. It does not change if the files of the database are replaced by older ones.
     */
    String identity(Connection connection, TableNames names) throws SQLException;

    /** Returns the name of a type of {@link Table}, as the database writes it, in lower case. */
    String type(String type);

    /** Returns what makes the server itself unusable: its version, or that it is read-only. */
    List<String> problems(Connection connection) throws SQLException;

    /** Returns why the role cannot use the schema; none if it can. */
    List<String> schemaProblems(Connection connection, TableNames names) throws SQLException;

    /** Returns the role whose rights the connection has, for use in SQL. */
    String role(Connection connection) throws SQLException;

    /** Returns the tables that exist. */
    Map<Table, FoundTable> find(Connection connection, TableNames names) throws SQLException;

    /** Returns which of the rights that the log needs on a table the role of the connection lacks. */
    List<Table.Right> missingRights(Connection connection, TableNames names, Table table) throws SQLException;

    /** Lets one connection at a time create tables, until the end of its transaction. */
    void lock(Connection connection, TableNames names) throws SQLException;

    /** Returns whether a transaction creates several tables or none. */
    boolean createsAllOrNone();

    /** Returns whether a statement failed because another connection has created the same table or row. */
    boolean alreadyThere(SQLException failure);

    /** Returns whether a statement failed because the role may not do it. */
    boolean forbidden(SQLException failure);

    /**
     * Lets the database end this transaction if the client sends nothing for a time, because a process that stands still
     * would otherwise hold the rows of the log.
     */
    void limitSilence(Connection connection, Duration limit) throws SQLException;

    /** Lets all statements of this transaction see the database at one moment. */
    void readOneMoment(Connection connection) throws SQLException;

    /** Lets the other servers hear, after the commit of this transaction, that the log has changed; some databases cannot. */
    void announce(Connection connection, TableNames names) throws SQLException;

    /**
     * Returns the sessions that may hold rows of the log in open transactions, each in words for an operator. A session
     * that waits for a row itself is not one of them.
     */
    List<String> holders(Connection connection, TableNames names) throws SQLException;

    /** Returns an expression that is true in a transaction which cannot write. */
    String readOnlyTransaction();

    /** Returns whether a statement failed because a table or schema does not exist. */
    boolean noTable(SQLException failure);

    /** Returns whether {@link #announce} can be heard. */
    boolean announces();

    /** Reads a file beside the public package. */
    static String read(String file) {
        try (InputStream content = DatabaseUnusableException.class.getResourceAsStream(file)) {
            if (content == null) {
                throw new IllegalStateException(file + " is not in the jar of csi4j");
            }
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
