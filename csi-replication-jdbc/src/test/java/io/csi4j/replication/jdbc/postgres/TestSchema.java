package io.csi4j.replication.jdbc.postgres;

import io.csi4j.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A schema that one test has for itself, in a server that other tests use too.
 *
 * @param server the shared server; the test does not stop it
 * @param name the name of the schema
 */
public record TestSchema(PostgresServer server, String name) implements AutoCloseable {
    /** Returns connections of the superuser whose names without a schema mean this schema. */
    public PGSimpleDataSource dataSource() {
        return dataSource("postgres");
    }

    /** Returns connections of a role whose names without a schema mean this schema. */
    public PGSimpleDataSource dataSource(String role) {
        PGSimpleDataSource source = server.dataSource(role);
        source.setCurrentSchema(name);
        return source;
    }

    public Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    @Override
    public void close() {
        server.execute("DROP SCHEMA " + name + " CASCADE");
    }
}
