import org.jspecify.annotations.NullMarked;

/** A log of commands in a database. */
@NullMarked
module io.csi4j.replication.jdbc {
    requires static transitive org.jspecify;
    requires transitive io.csi4j.core;
    requires transitive io.csi4j.state;
    requires transitive java.sql;
    requires static org.postgresql.jdbc;

    exports io.csi4j.replication.jdbc;
}
